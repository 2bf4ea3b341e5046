"""Rarer functions: of Bessel, polynomials, segments, and what differs."""

from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, given
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.arrays import DENSE, POSITIVE
from gradspec.conformance.strategies.complexes import complex_arrays
from gradspec.conformance.strategies.distributions import around
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
    """A function that takes a number for an operand has the values and, away from kinks, the
    gradient that it has beside a tensor which holds this number.
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
