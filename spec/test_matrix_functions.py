"""Matrix functions that few programs call: factors of few columns, older solvers."""

from itertools import product

import numpy as np
import pytest

from gradspec.conformance import claim, every, given
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.arrays import DENSE
from gradspec.conformance.strategies.complexes import complex_arrays, parts
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.random_numbers import seeds

NO_WORKLOAD = "functions that few programs call"

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


# ---- complex numbers -----------------------------------------------------------------------------


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
