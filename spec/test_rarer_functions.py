"""Rarer functions: of Bessel, polynomials, factors of few columns, and what is deprecated."""

from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, given
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.arrays import DENSE, POSITIVE
from gradspec.conformance.strategies.complexes import complex_arrays, parts
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.strategies.rarer_functions import (
    BESIDE_NUMBERS,
    BESSEL,
    POLYNOMIALS,
    UNRULED,
    distinct,
    runs,
)

NO_WORKLOAD = "functions that few programs call"

# ---- functions of one number ---------------------------------------------------------------------


@claim("OPS-360", about="lookup", needs="vjp torch", level="contract", widest=True)
@every(name=sorted(BESSEL))
@given(
    x=arrays("row", shape=(3,), values=POSITIVE),
    w=arrays("row", shape=(3,)),
)
def test_bessel_functions_have_slopes(be, name, x, w):
    """The slope of a Bessel function is what others say by its recurrence, in half of the digits,
    or it is refused: none is taken for a constant.
    """

    def value(other):
        return be.numpy(be.lookup(f"torch.special:{other}")(be.tensor(x)))

    slope = BESSEL[name](x, value)
    try:
        _, pull = be.vjp(be.lookup(f"torch.special:{name}"), x)
        gradient = pull(w)[0]
    except RuntimeError as error:
        if be.kind_of(error) is not ErrorKind.NOT_DIFFERENTIABLE:
            raise
        return
    be.check_gradient(gradient, around(w * slope, w * np.abs(slope) + w / x, times=2.0**24))


@claim("OPS-361", about="lookup", needs="torch", level="contract", widest=True)
@given(x=arrays("row", shape=(3,)), degree=integers(0, 8), tensor=booleans())
def test_polynomials_have_the_values_of_their_recurrences(be, x, degree, tensor):
    """A polynomial that is told its degree, by a number or by a tensor, has the values that the
    recurrence of its family gives.
    """
    told = be.tensor(np.full(3, float(degree))) if tensor else degree
    for name, family in POLYNOMIALS.items():
        true = family(degree)
        size = np.polynomial.Polynomial(np.abs(true.coef))(np.abs(x))
        found = be.lookup(f"torch.special:{name}")(be.tensor(x), told)
        be.check(found, around(true(x), size, times=256), name)


@claim("OPS-362", about="lookup", needs="vjp torch", level="contract", widest=True)
@every(name=sorted(POLYNOMIALS))
@given(
    x=arrays("row", shape=(3,)),
    degree=integers(1, 6),
    w=arrays("row", shape=(3,)),
)
def test_polynomials_have_slopes(be, name, x, degree, w):
    """The slope of a polynomial is that of the polynomial, or it is refused: none is taken for a
    constant.
    """
    slope = POLYNOMIALS[name](degree).deriv()
    size = np.polynomial.Polynomial(np.abs(slope.coef))(np.abs(x))
    try:
        _, pull = be.vjp(lambda z: be.lookup(f"torch.special:{name}")(z, degree), x)
        gradient = pull(w)[0]
    except RuntimeError as error:
        if be.kind_of(error) is not ErrorKind.NOT_DIFFERENTIABLE:
            raise
        return
    be.check_gradient(gradient, around(w * slope(x), w * size, times=256))


@claim("OPS-363", about="lookup", needs="gradients from_data torch", level="contract")
@given(
    x=arrays("row", shape=(3,), values=POSITIVE),
    y=arrays("row", shape=(3,)),
    w=arrays("row", shape=(3,)),
    dtype=sampled_from(["float32", "float64"]),
    other=sampled_from(["float32", "int64"]),
)
def test_float_power_computes_in_float64(be, x, y, w, dtype, other):
    """float_power raises to a power in float64 whatever its operands are, also a number of Python;
    a gradient has the dtype of its operand.
    """
    y = y.round()
    for exponent, to in ((y, be.from_data(y.tolist(), dtype=other)), (3.0, 3), (-0.5, -0.5)):
        base = be.set_requires_grad(be.from_data(x.tolist(), dtype=dtype))
        found = be.lookup("torch:float_power")(base, to)
        be.check(found, around(x**exponent, x**exponent, times=32), dtype="float64")
        (gradient,) = be.gradients(found, [base], be.from_data(w.tolist(), dtype="float64"))
        slope = w * exponent * x ** (exponent - 1)
        be.check(gradient, around(slope, slope, times=32), dtype=dtype)


@claim("OPS-560", about="lookup", needs="vjp from_data torch", level="contract")
@given(y=arrays("row", shape=(3,), values=POSITIVE), w=arrays("row", shape=(3,)))
def test_float_power_of_nothing_is_nothing(be, y, w):
    """Zero to a power above zero is zero in float_power, wherever the exponent goes, which has the
    gradient zero.
    """
    power, nothing = be.lookup("torch:float_power"), be.from_data([0.0] * 3, dtype=be.dtype)
    found, pull = be.vjp(lambda z: power(nothing, z), y)
    be.check(found, 0 * y, dtype="float64")
    be.check_gradient(*pull(be.from_data(w.tolist(), dtype="float64")), 0 * y)


@claim("OPS-561", about="lookup", needs="torch", level="contract")
@given(x=arrays("row", shape=(3,)), count=sampled_from([None, 2, 4, 1]), rising=booleans())
def test_rows_of_powers_fall_or_rise(be, x, count, rising):
    """vander has in its rows the powers of each entry, as many as entries or as it is told, which
    fall or rise along the row.
    """
    true = x[:, None] ** np.arange(count or 3)[:: 1 if rising else -1]
    found = be.lookup("torch:vander")(be.tensor(x), N=count, increasing=rising)
    be.check(found, Total(true, np.abs(true), 4))


@claim("OPS-563", about="lookup", needs="vjp torch", level="contract")
@given(
    x=arrays("row", shape=(3,)),
    w=arrays("weights", shape=(3, 3)),
    rising=booleans(),
)
def test_rows_of_powers_have_gradients(be, x, w, rising):
    """The gradient of vander has for each entry the slopes of its powers along the row."""
    _, pull = be.vjp(lambda z: be.lookup("torch:vander")(z, N=3, increasing=rising), x)
    slopes = np.stack([0 * x, 0 * x + 1, 2 * x], 1)[:, :: 1 if rising else -1]
    be.check_gradient(*pull(w), Total.along(w * slopes, 1))


@claim("OPS-369", about="lookup", needs="vjp torch", level="contract")
@given(
    number=sampled_from([1.3125, 2.8125, 3.0625]),
    x=arrays("row", shape=(3,), values=POSITIVE),
    w=arrays("row", shape=(3,)),
)
def test_a_number_counts_as_a_tensor_that_holds_it(be, number, x, w):
    """A function of two operands that takes a number for one of them has the values and, away from
    kinks, the gradient that it has beside a tensor which holds this number.
    """
    for name, call in BESIDE_NUMBERS.items():
        function, results = be.lookup(f"torch:{name.split()[0]}"), []
        for other in (be.tensor(np.full(3, number)), number):
            value, pull = be.vjp(lambda z, f=function, c=call, y=other: c(f, z, y), x + 1)
            results.append([be.numpy(value), be.numpy(pull(w)[0])])
        for true, got in zip(*results, strict=True):
            be.check(be.tensor(got), around(true, true, times=16), name)


@claim("OPS-852", about="lookup", needs="vjp jvp torch", level="contract")
@given(
    x=arrays("row", shape=(4,), layouts=DENSE),
    w=arrays("row", shape=(4,), layouts=DENSE),
    power=integers(-20, 20),
)
def test_a_mantissa_has_the_slope_of_its_power(be, x, w, power):
    """frexp has for each number a mantissa from one half to one and the power of two beside it, and
    the mantissa has its gradient and tangent over this power.
    """
    x = np.ldexp(x, power)
    mantissa, exponent = np.frexp(x)
    find = be.lookup("torch:frexp")
    be.same(find(be.tensor(x))[1], exponent.astype("int32"))
    found, pull = be.vjp(lambda z: find(z)[0], x)
    be.same(found, mantissa.astype(be.dtype))
    slope = np.ldexp(1.0, -exponent)
    be.check_gradient(*pull(w), w * slope)
    be.check(be.jvp(lambda z: find(z)[0], [x], [w])[1], w * slope)


@claim("OPS-853", about="lookup", needs="vjp torch", level="contract")
@given(
    x=arrays("matrix", shape=(2, 3)),
    w=arrays("scalar", shape=()),
    missing=integers(0, 5),
)
def test_the_median_of_numbers_has_a_place(be, x, w, missing):
    """nanmedian of all entries is the middle one of those that are numbers, the lower of two, and
    its gradient goes where that is, in shares whose sum is the cotangent.
    """
    x = x.copy()
    x.flat[:missing] = np.nan
    true = np.sort(x.flat[missing:])[(5 - missing) // 2]
    value, pull = be.vjp(be.lookup("torch:nanmedian"), x)
    be.check(value, np.array(true))
    gradient = be.numpy(pull(w)[0])
    assert not gradient[x != true].any(), "a gradient elsewhere"
    be.check(be.tensor(gradient.sum()), w)


@claim("OPS-364", about="lookup", needs="backward torch", level="contract")
@given(x=arrays("matrix", shape=(3, 3), values=POSITIVE))
def test_what_has_no_rule_is_refused(be, x):
    """A result whose derivative the library does not know requires grad, and a pass that reaches it
    is refused.
    """
    leaf = be.leaf(x / 8 + np.eye(3))
    for name, call in UNRULED.items():
        result = call(be.lookup(f"torch:{name}"), leaf)
        assert be.requires_grad(result), f"{name} is taken for a constant"
        with pytest.raises(RuntimeError, match="not implemented"):
            be.backward(be.sum(result))


# ---- matrices ------------------------------------------------------------------------------------


@claim("OPS-365", about="lookup", needs="vjp svdvals mean sub transpose torch", widest=True)
@every(case=[("pca", False), *product(("svd", "svd less another", "pca as it is"), (False, True))])
@given(
    x=arrays("matrix", shape=(4, 3)),
    other=arrays("matrix", shape=(4, 3)),
    w=arrays("row", shape=(3,)),
    seed=seeds(),
)
def test_nothing_is_lost_by_factors_of_all_columns(be, case, x, other, w, seed):
    """Told to keep every column, svd_lowrank finds the singular values of a matrix, or of how far
    it is from another, their gradients, and factors of which it is the product; pca_lowrank does of
    its rows less their mean, unless it is told not to: in half of the digits, tall or wide.
    """
    kind, wide = case
    x, other = x / 16 + np.eye(4, 3) * [1.0, 3.0, 5.0], other / 64
    x, other = (x.T, be.tensor(other.T)) if wide else (x, be.tensor(other))
    find = be.lookup(f"torch:{kind[:3]}_lowrank")
    options = {"svd less another": {"M": other}, "pca as it is": {"center": False}}.get(kind, {})

    def less(a):
        shift = {"svd less another": other, "pca": be.mean(a, 0)}.get(kind)
        return a if shift is None else be.sub(a, shift)

    with be.fork_random():
        be.manual_seed(seed)
        found, pull = be.vjp(lambda a: find(a, q=3, **options)[1], x)
        gradient = pull(w)[0]
        left, values, right = find(be.tensor(x), q=3, **options)
    true, push = be.vjp(lambda a: be.svdvals(less(a)), x)
    be.check(found, around(be.numpy(true), 8, times=2.0**24))
    most = 8 * np.abs(w).max()
    be.check(gradient, around(be.numpy(push(w)[0]), most, times=2.0**24))
    whole = be.numpy(less(be.tensor(x)))
    be.check((left * values) @ be.transpose(right, 0, 1), around(whole, 8, times=2.0**24))


@claim("OPS-366", about="lookup", needs="vjp transpose add torch", widest=True)
@every(count=(1, 2, 3))
@given(
    x=arrays("matrix", shape=(9, 9)),
    w=arrays("matrix", shape=(9, 9)),
    largest=booleans(),
    seed=seeds(),
)
def test_few_eigenvalues_are_found_by_themselves(be, count, x, w, largest, seed):
    """lobpcg finds so many of the eigenvalues of a symmetric matrix from either end, with their
    eigenvectors up to a sign, and the gradients of both, in half of the digits.
    """
    factors = be.tensor(np.arange(2.0, 2.0 + count))
    order = be.tensor(np.arange(9)[::-1][:count].copy() if largest else np.arange(count))

    def symmetric(a):
        return be.add(a, be.transpose(a, 0, 1))

    def few(a):
        find = be.lookup("torch:lobpcg")
        return find(symmetric(a), k=count, largest=largest, niter=999, tol=1e-14)

    def all_of(a):
        values, vectors = be.lookup("torch.linalg:eigh")(symmetric(a))
        return values[order], vectors[:, order]

    def signless(find):
        def both(a):
            values, vectors = find(a)
            return values, (vectors * factors) @ be.transpose(vectors, 0, 1)

        return both

    x = x / 32 + np.diag(np.arange(1.0, 18.0, 2.0))
    most = 64 * np.abs(w).max()
    for part, cotangent in enumerate((w[0, :count].copy(), w)):
        with be.fork_random():
            be.manual_seed(seed)
            found, pull = be.vjp(lambda a, part=part: signless(few)(a)[part], x)
            gradient = pull(cotangent)[0]
        true, push = be.vjp(lambda a, part=part: signless(all_of)(a)[part], x)
        be.check(found, around(be.numpy(true), 32, times=2.0**24))
        be.check(gradient, around(be.numpy(push(cotangent)[0]), most, times=2.0**24))


@claim("OPS-367", about="lookup", needs="vjp jvp solve_triangular transpose torch", widest=True)
@given(
    a=arrays("matrix", shape=(3, 3), layouts=DENSE),
    b=arrays("sides", shape=(3, 2), layouts=DENSE),
    w=arrays("sides", shape=(3, 2), layouts=DENSE),
    upper=booleans(),
    transpose=booleans(),
    unitriangular=booleans(),
)
@pytest.mark.filterwarnings("ignore:.*triangular_solve is deprecated")
def test_the_older_solver_of_triangles_is_the_newer(be, a, b, w, upper, transpose, unitriangular):
    """triangular_solve has the solutions of solve_triangular, of a matrix or of its transpose, and
    their gradients and tangents.
    """
    a, rest = a / 8 + 2 * np.eye(3), {"unitriangular": unitriangular}

    def older(sides, matrix):
        solve = be.lookup("torch:triangular_solve")
        return solve(sides, matrix, upper=upper, transpose=transpose, **rest)[0]

    def newer(sides, matrix):
        turned = be.transpose(matrix, 0, 1) if transpose else matrix
        return be.solve_triangular(turned, sides, upper=upper != transpose, **rest)

    results = []
    for solve in (newer, older):
        value, pull = be.vjp(solve, b, a)
        _, tangent = be.jvp(solve, [b, a], [w, w @ w.T])
        results.append([be.numpy(each) for each in (value, *pull(w), tangent)])
    most = 64 * (1 + np.abs(b).max()) * (1 + np.abs(w).max()) ** 2
    names = ("solution", "gradient of the sides", "gradient of the matrix", "tangent")
    for name, true, got in zip(names, *results, strict=True):
        be.check(be.tensor(got), around(true, most), name)


@claim("OPS-368", about="lookup", needs="gradients from_data cast expand torch", level="contract")
@given(first=integers(0, 5), repeated=booleans(), seed=integers(0, 2**32))
def test_groups_of_rows_have_matrices_of_their_own(be, first, repeated, seed):
    """grouped_mm multiplies each group of rows by the matrix of its group, with the gradients of
    these products, also where one cotangent stands for all.
    """
    rng = np.random.default_rng(seed)
    rows, matrices = rng.integers(-1, 2, (5, 8)), rng.integers(-2, 3, (2, 8, 8))
    w = np.ones((5, 8)) if repeated else rng.integers(-1, 2, (5, 8))
    x, y, cotangent = (be.from_data(z.tolist(), dtype="bfloat16") for z in (rows, matrices, w))
    if repeated:
        cotangent = be.expand(cotangent[0, 0], 5, 8)
    ends = be.from_data([first, 5], dtype="int32")
    operands = [be.set_requires_grad(z) for z in (x, y)]
    found = be.lookup("torch.nn.functional:grouped_mm")(*operands, offs=ends)
    given = [found, *be.gradients(found, operands, cotangent)]
    parts = [(slice(first), matrices[0]), (slice(first, 5), matrices[1])]
    true = [
        np.concatenate([rows[at] @ matrix for at, matrix in parts]),
        np.concatenate([w[at] @ matrix.T for at, matrix in parts]),
        np.stack([rows[at].T @ w[at] for at, _ in parts]),
    ]
    for got, want in zip(given, true, strict=True):
        be.check(be.cast(got, be.dtype), want.astype(float))


@claim("OPS-850", about="lookup", needs="complex_numbers transpose torch", widest=True)
@given(
    x=arrays("matrix", shape=(2, 4, 4)),
    b=arrays("sides", shape=(2, 4, 3)),
    unit=sampled_from([1.0, 0.6 + 0.8j]),
    hermitian=booleans(),
)
def test_symmetric_systems_are_solved_by_their_factors(be, x, b, unit, hermitian):
    """ldl_solve solves the system whose matrix ldl_factor was given, of which it saw one triangle:
    a symmetric one, or if told so a hermitian one, which need not be definite.
    """
    # Zeros along the diagonal make it exchange rows, and take two of them at once.
    a, b = np.tril(unit * x / 32) + np.tril(np.ones((4, 4)), -1) - np.eye(4, k=-1) / 2, unit * b
    if hermitian:
        a[..., range(4), range(4)] = a[..., range(4), range(4)].real
    other = np.swapaxes(np.tril(a, -1), -2, -1)
    whole = a + (other.conj() if hermitian else other)
    factors, places = be.lookup("torch.linalg:ldl_factor")(be.tensor(a), hermitian=hermitian)
    solve = be.lookup("torch.linalg:ldl_solve")
    found = solve(factors, places, be.tensor(b), hermitian=hermitian)
    true = np.linalg.solve(whole, b)
    most = np.linalg.cond(whole).max() * np.abs(true).max()
    be.check(be.tensor(parts(be.numpy(found))), around(parts(true), most, times=64))


@claim("OPS-851", about="lookup", needs="vjp transpose matmul torch", widest=True)
@every(shape=[(2, 4), (4, 2), (3, 3), (2, 3, 4)])
@given(seed=integers(0, 2**32), data=booleans(), pivots=booleans())
def test_factors_in_one_matrix_are_unpacked(be, shape, seed, data, pivots):
    """lu_unpack has the factors that linalg.lu has, with the gradients that these have, and leaves
    empty what it is told not to unpack.
    """
    rng = np.random.default_rng(seed)
    x = rng.uniform(-0.25, 0.25, shape) + 2 * np.eye(*shape[-2:])[::-1]
    factor, unpack = be.lookup("torch.linalg:lu_factor"), be.lookup("torch:lu_unpack")

    w = [rng.uniform(-1, 1, be.shape(each)) for each in be.lookup("torch.linalg:lu")(be.tensor(x))]
    for part in (1, 2):
        true, push = be.vjp(lambda a, part=part: be.lookup("torch.linalg:lu")(a)[part], x)
        found, pull = be.vjp(lambda a, part=part: unpack(*factor(a))[part], x)
        be.check(found, around(be.numpy(true), 1))
        be.check(pull(w[part])[0], around(be.numpy(push(w[part])[0]), 64))
    told = unpack(*factor(be.tensor(x)), unpack_data=data, unpack_pivots=pivots)
    whole = be.lookup("torch.linalg:lu")(be.tensor(x))
    for got, want, kept in zip(told, whole, (pivots, data, data), strict=True):
        assert be.shape(got) == (be.shape(want) if kept else (0,))
    be.same(unpack(*factor(be.tensor(x)))[0], whole[0])


# ---- losses --------------------------------------------------------------------------------------


@claim("OPS-545", about="lookup", needs="gradients torch", level="contract")
@every(
    name=[
        "cross_entropy",
        "multilabel_soft_margin_loss",
        "mse_loss",
        "l1_loss",
        "nll_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
    ]
)
@given(
    x=arrays("scores", shape=(2, 3)),
)
def test_no_weights_of_a_loss_are_constants(be, name, x):
    """A sum of losses has, by the weight of a class or of an entry, what it is if only this weight
    is one; or it is refused that weights require a gradient.
    """
    loss, share = be.lookup(f"torch.nn.functional:{name}"), 1 / (1 + np.exp(-x))
    true = be.from_data([0, 2]) if name == "nll_loss" else be.tensor(share[:, ::-1].copy())
    of_classes = name in ("cross_entropy", "nll_loss", "multilabel_soft_margin_loss")
    size = (3,) if of_classes else (2, 3)

    def weighed(weight):
        return be.sum(loss(be.tensor(share), true, weight=weight, reduction="none"))

    leaf = be.leaf(np.full(size, 2.0))
    try:
        (slope,) = be.gradients(weighed(leaf), [leaf])
    except RuntimeError as error:
        if be.kind_of(error) is not ErrorKind.NOT_DIFFERENTIABLE:
            raise
        return
    units = np.eye(np.prod(size)).reshape(-1, *size)
    alone = np.array([be.numpy(weighed(be.tensor(unit))) for unit in units]).reshape(size)
    be.check_gradient(slope, around(alone, 4 + np.abs(alone), times=16))


# ---- complex numbers -----------------------------------------------------------------------------


@claim("CPX-360", about="conj", needs="complex_numbers vjp conj clone torch", level="contract")
@given(z=complex_arrays("z", layouts=DENSE), w=complex_arrays("z", layouts=DENSE))
def test_conjugates_may_be_made_at_once(be, z, w):
    """conj_physical is the conjugate in memory of its own, over its operand if its name says so,
    with the gradient that conj has.
    """
    number = be.tensor(z)
    for make in (
        be.lookup("torch:conj_physical"),
        lambda x: be.lookup("torch:Tensor.conj_physical_")(be.clone(x)),
    ):
        made = make(number)
        assert not made.is_conj()
        assert not be.shares_memory(made, number)
        value, pull = be.vjp(make, number)
        be.same(value, be.clone(be.conj(number)))
        be.same(pull(w)[0], be.vjp(be.conj, number)[1](w)[0])


@claim("CPX-850", about="lookup", needs="complex_numbers vjp solve_triangular torch", widest=True)
@given(
    a=complex_arrays("matrix", shape=(3, 3), layouts=DENSE),
    b=complex_arrays("sides", shape=(3, 2), layouts=DENSE),
    w=complex_arrays("sides", shape=(3, 2), layouts=DENSE),
    upper=booleans(),
    transpose=booleans(),
)
@pytest.mark.filterwarnings("ignore:.*triangular_solve is deprecated")
def test_complex_triangles_are_transposed_and_not_conjugated(be, a, b, w, upper, transpose):
    """triangular_solve of a complex matrix, or of its transpose without a conjugate, has the
    solutions and the gradients of solve_triangular.
    """
    a, solve = a / 8 + 2 * np.eye(3), be.lookup("torch:triangular_solve")

    def newer(sides, matrix):
        turned = be.lookup("torch:transpose")(matrix, 0, 1) if transpose else matrix
        return be.solve_triangular(turned, sides, upper=upper != transpose)

    found, pull = be.vjp(lambda b, a: solve(b, a, upper=upper, transpose=transpose)[0], b, a)
    true, push = be.vjp(newer, b, a)
    most = 64 * (1 + np.abs(b).max()) * (1 + np.abs(w).max()) ** 2
    for got, want in zip([found, *pull(w)], [true, *push(w)], strict=True):
        be.check(be.tensor(parts(be.numpy(got))), around(parts(be.numpy(want)), most))


# ---- segments ------------------------------------------------------------------------------------


@claim("OPS-724", about="lookup", needs="backward torch", level="contract")
@every(reduce=("sum", "mean", "prod", "max", "min"))
@given(
    x=arrays("row", shape=(5,), values=POSITIVE, layouts=DENSE),
    w=arrays("cotangent", shape=(3,)),
    initial=sampled_from([0.0, 7.5, -1.0]),
    by_ends=booleans(),
)
def test_segments_begin_with_what_is_told(be, reduce, x, w, initial, by_ends):
    """Told an initial value, segments, by their lengths or by where they end, are reduced as if
    each had this as its first entry, an empty one as well; a mean does not count it.
    """
    segments, x = be.lookup("torch:segment_reduce"), x + np.arange(5) / 16
    counts, ends = np.array([2, 0, 3]), np.array([0, 2, 2, 5])
    leaf, wide = be.leaf(x), be.leaf(np.insert(x, [0, 2, 2], initial))
    told = {"offsets": ends} if by_ends else {"lengths": counts}
    found = segments(leaf, reduce, initial=initial, **{k: be.tensor(v) for k, v in told.items()})
    longer = "sum" if reduce == "mean" else reduce
    true = segments(wide, longer, lengths=be.tensor(counts + 1))
    if reduce == "mean":
        true = be.div(true, np.maximum(counts, 1.0))
    be.check(found, around(be.numpy(true), 8 * be.numpy(true)))
    for result in (found, true):
        be.backward(result, w)
    slopes = np.delete(be.numpy(be.grad(wide)), [0, 3, 4])
    be.check(be.grad(leaf), around(slopes, 8 * slopes))


# ---- what differs --------------------------------------------------------------------------------


@claim("OPS-840", about="lookup", needs="torch", level="contract", widest=True)
@every(axis=(None, 0, 1, -1))
@given(seed=integers(0, 2**32), floats=booleans())
def test_what_differs_is_found_with_its_places(be, axis, seed, floats):
    """unique has each entry, or each slice along an axis, once and in order; unique_consecutive has
    one of every run of equal ones. Told to, they say for each where it went, and how often it was.
    """
    x = np.random.default_rng(seed).integers(-1, 2, (5, 3)) * (0.5 if floats else 1)
    for name, oracle in (("unique", distinct), ("unique_consecutive", runs)):
        function, true = be.lookup(f"torch:{name}"), oracle(x, axis)
        for places, counts in product((False, True), repeat=2):
            told = {"return_inverse": places, "return_counts": counts, "dim": axis}
            found = function(be.tensor(x), **told)
            wanted = [true[0], *[true[1]] * places, *[true[2]] * counts]
            assert isinstance(found, tuple) is (places or counts)
            for got, want in zip(found if len(wanted) > 1 else [found], wanted, strict=True):
                be.same(got, want.astype(be.dtype) if want.dtype == float else want, name)
