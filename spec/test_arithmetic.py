"""Arithmetic: operands that broadcast and promote, results that are new."""

import operator
import warnings
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import DENSE, POSITIVE, arrays, sampled_from
from gradspec.conformance.strategies.numbers import (
    ARITHMETIC,
    LIMITS,
    WHOLE_PARTS,
    applied,
    signs,
    unrounded,
)
from gradspec.conformance.strategies.programs import clashes, fitting
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.meetings import COMPARISONS

# ---- values --------------------------------------------------------------------------------------


@claim("OPS-01", about="add", needs="inplace clone add_")
@example(x=np.ones((4, 3)), y=np.full((4, 3), 0.1))
@given(x=fitting(), y=arrays())
def test_all_spellings_of_a_sum_agree(be, x, y):
    """The operator, the function and the write in place give the same sum to the last bit,
    whichever operand comes first.
    """
    a, b = be.tensor(x), be.tensor(y)
    total = be.add(a, b)
    be.check(total, Jet.given(x) + Jet.given(y))
    for other in (be.add(b, a), a + b, b + a, be.add_(be.clone(b), a)):
        be.same(other, total)


@claim("OPS-855", about="add sub mul div", needs="vjp")
@every(shapes=[((), (1,)), ((1,), ()), ((), (1, 1)), ((1, 1), (1,)), ((), (0,)), ((0, 1), ())])
@given(numbers=arrays("numbers", shape=(3,), values=POSITIVE))
def test_one_entry_with_axes_is_no_scalar(be, shapes, numbers):
    """A scalar beside a tensor of one entry or none is repeated along all of its axes, even if they
    are of size one, and each of the two has a gradient of its own shape.
    """
    shaped = [*shapes, np.broadcast_shapes(*shapes)]
    a, b, w = (np.full(shape, number) for shape, number in zip(shaped, numbers, strict=True))
    x, y, c = map(Jet.exact, (a, b, w))
    slopes = {"add": (c, c), "sub": (c, -c), "mul": (c * y, c * x), "div": (c / y, -c * x / y**2)}
    for name, rules in slopes.items():
        value, pull = be.vjp(getattr(be, name), a, b)
        be.check(value, ARITHMETIC[name](x, y))
        for found, rule, shape in zip(pull(w), rules, shapes, strict=True):
            be.check(found, rule.onto(shape))


@workload
def mean_of_squares(be, leaf, factor=3.0, shift=2.0):
    """The mean of a multiple of a shifted square."""
    y = leaf + shift
    return be.mean(y * y * factor)


@claim("OPS-54", about="mean", needs="vjp")
@example(x=np.ones((2, 2)), w=1.0, factor=3.0, shift=2.0)
@given(
    x=arrays(min_size=1),
    w=arrays("scalar", shape=()),
    factor=sampled_from((3.0, -0.5, 2.0)),
    shift=sampled_from((2.0, -1.0, 0.25)),
)
def test_a_chain_of_operators_computes_what_it_says(be, x, w, factor, shift):
    """Operators bind as they do in Python: the mean of y * y * k with y = x + b is that of k y^2,
    and 2 k y w / n is its gradient.
    """
    y, n = Jet.exact(x) + shift, x.size
    mean, pull = be.vjp(lambda z: mean_of_squares(be, z, factor, shift), x)
    be.check(mean, (factor * y * y).mean())
    be.check(pull(np.asarray(w))[0], 2 * factor * y * w / n)


@claim("OPS-09", about="mean sum", needs="", level="contract")
@example(x=np.arange(1.0, 7.0).reshape(2, 3))
@given(x=arrays(min_size=1))
def test_a_mean_is_the_sum_over_the_count(be, x):
    """A mean is the sum of all entries over their number, a tensor without axes, nan if there are
    none, refused for integers. A power of two as a factor gives the same bits on either side.
    """
    source = be.tensor(x)
    be.check(be.mean(source), Jet.exact(x).mean())
    be.check(be.sum(source), Total.along(x))
    be.check(be.mean(be.tensor(np.zeros(0))), np.nan)
    be.same(2 * source * source, source * source * 2)
    with be.raises(ErrorKind.DTYPE):
        be.mean(be.tensor(x.astype(np.int64)))


@claim("OPS-82", about="div", needs="vjp")
@example(x=np.array([0.0, 0.5, 1.0]), w=np.ones(3), centre=0.5, scale=np.full(3, 0.5))
@given(
    x=arrays(),
    w=arrays(),
    centre=sampled_from((0.5, 0.0, -2.25)),
    scale=arrays(values=POSITIVE),
)
def test_a_normalised_value_can_be_brought_back(be, x, w, centre, scale):
    """(x - m) / s takes m to 0 and m + s to 1, so [0, 1] to [-1, 1] where both are one half, with
    gradient 1 / s; times s plus m is the way back.
    """
    normal, pull = be.vjp(lambda z: be.div(be.sub(z, centre), scale), x)
    expected = (Jet.exact(x) - centre) / scale
    be.check(normal, expected)
    be.check(pull(w)[0], Jet.exact(w) / scale)
    be.check(be.add(be.mul(normal, scale), centre), expected * scale + centre)


@claim(
    "OPS-62",
    about="conj",
    needs="backward views conj real imag view_as_real torch numpy_interop",
    level="contract",
)
@given(x=arrays(), y=arrays(), w=arrays())
def test_conj_is_a_view_that_changes_a_sign(be, x, y, w):
    """conj negates the imaginary part, as a view that numpy is refused, and view_as_real too;
    twice, it is the identity, and real tensors it returns as they are. The product of z and conj(z)
    is the real |z|^2, and its gradient 2 w z.
    """
    values = np.asarray((x + 1j * y).astype(np.result_type(be.dtype, np.complex64)))
    z, real = be.set_requires_grad(be.tensor(values)), be.tensor(x)
    conjugate = be.conj(z)
    be.same(conjugate, np.asarray(values.conj()))
    be.same(be.conj(conjugate), values)
    assert be.conj(real) is real
    assert be.shares_memory(conjugate, z) or not x.size
    with be.raises(ErrorKind.ARGUMENT, ErrorKind.DEVICE):
        be.to_numpy(be.detach(conjugate))
    with be.raises(ErrorKind.ARGUMENT):
        be.view_as_real(conjugate)
    square = be.mul(z, conjugate)
    be.check(be.real(square), Total.of(x * x, y * y))
    be.check(be.imag(square), Total.of(x * y, -x * y))
    be.backward(square, w.astype(values.dtype))
    for part, want in ((be.real, x), (be.imag, y)):
        be.check(part(be.grad(z)), 2 * w * want)


# ---- results -------------------------------------------------------------------------------------


@claim("OPS-52", about="add sub mul div", needs="views")
@given(x=arrays(min_size=1), name=sampled_from(("add", "sub", "mul", "div")))
def test_a_result_is_a_new_tensor(be, x, name):
    """The result of arithmetic lies in memory of its own, also where it equals an operand, as in
    x + 0 and x * 1; the operands keep their values.
    """
    neutral = np.full(x.shape, float(name in ("mul", "div")))
    operands = be.tensor(x), be.tensor(neutral)
    result = getattr(be, name)(*operands)
    for before, operand in zip((x, neutral), operands, strict=True):
        be.check(operand, before)
        assert not be.shares_memory(result, operand)
    be.check(result, x)


@claim("OPS-02", "OPS-51", about="add", needs="torch from_data", level="contract")
@given(x=arrays(), y=arrays(), start=arrays(layouts=DENSE))
def test_out_is_written_and_returned(be, x, y, start):
    """A tensor given as out takes the result, cast to its dtype, and is returned; one of a lower
    kind than the result is refused. The result of add with alpha is x + alpha y, and the method add
    does what the function does.
    """
    a, b = be.tensor(x), be.tensor(y)
    be.check(be.add(a, b, alpha=-2), Total.of(x, -2 * y))
    be.same(a.add(b, alpha=-2), be.add(a, b, alpha=-2))
    own, wide = be.tensor(start), be.from_data(start, dtype="float64")
    assert be.add(a, b, out=own) is own
    be.same(own, be.add(a, b))
    assert be.add(a, b, out=wide) is wide
    assert be.dtype_of(wide) == "float64"
    assert np.array_equal(be.numpy(wide), x + y)
    whole = be.from_data(start, dtype="int64")
    with be.raises(ErrorKind.INPLACE_DTYPE):
        be.add(a, b, out=whole)
    be.same(whole, start.astype(np.int64))


@claim("OPS-03", about="add", needs="torch", level="contract")
@example(x=np.ones((4, 3)), y=np.ones((4, 3)), shape=(5, 3))
@given(x=arrays(), y=arrays(), shape=sampled_from(((5, 3), (6,), (1, 1, 1, 1), (2, 2, 1))))
def test_out_of_another_shape_is_resized(be, x, y, shape):
    """A tensor of another shape given as out takes that of the result, with a warning if it had
    entries, and silently if it had none. If it is a view the memory behind it is overwritten.
    """
    a, b, filled = be.tensor(x), be.tensor(y), be.tensor(np.ones(shape))
    with pytest.warns(UserWarning, match="was resized"):
        be.add(a, b, out=filled)
    be.check(filled, Total.of(x, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        be.check(be.add(a, b, out=be.tensor(np.zeros(0))), Total.of(x, y))
    base = be.tensor(np.zeros(6))
    with warnings.catch_warnings(action="ignore"):
        be.add(be.tensor(np.arange(4.0)), 1.0, out=base[:2])
    be.check(base, [1.0, 2.0, 3.0, 4.0, 0.0, 0.0])


@claim(
    "OPS-04",
    "OPS-53",
    about="add sub mul div pow maximum atan2 matmul",
    needs="backward no_grad torch",
    level="contract",
)
@given(
    x=arrays("matrix", shape=(2, 2)),
    y=arrays("matrix", shape=(2, 2)),
    start=arrays("matrix", shape=(2, 2)),
)
def test_out_is_not_differentiated(be, x, y, start):
    """While recording, out is refused if an operand or out itself requires grad, whichever and
    whatever the function; under no_grad it is written.
    """
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "atan2", "matmul"):
        function = getattr(be, name)
        for tracked in [*product((False, True), repeat=3)][1:]:
            a, b, out = (
                (be.leaf if flag else be.tensor)(values.copy())
                for flag, values in zip(tracked, (x, y, start), strict=True)
            )
            with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
                function(a, b, out=out)
            be.check(out, start)
            with be.no_grad():
                function(a, b, out=out)
                be.same(out, function(a, b))


# ---- operands of several shapes ------------------------------------------------------------------


@claim("OPS-06", about="add sub mul div maximum", needs="backward maximum", level="contract")
@example(pair=(np.ones((1, 3)), np.ones((2, 2))), name="add")
@example(pair=(np.zeros(0), np.ones(2)), name="mul")
@given(pair=clashes(), name=sampled_from(("add", "sub", "mul", "div", "maximum")))
def test_shapes_that_do_not_broadcast_are_refused(be, pair, name):
    """Where sizes differ, aligned on the right, and none of the two is one, operands are refused:
    nothing is recycled or cut off, and zero is a size like any other.
    """
    x, y = map(be.leaf, pair)
    with be.raises(ErrorKind.SHAPE):
        getattr(be, name)(x, y)
    with be.raises(ErrorKind.SHAPE):
        getattr(be, name)(y, x)


@claim("OPS-07", about="expand", needs="views inplace expand unsqueeze add_", level="contract")
@example(x=np.ones((1, 4)))
@given(x=arrays(layouts=DENSE, min_size=1))
def test_broadcasting_copies_nothing(be, x):
    """An expanded tensor has stride zero along its new axes and lies in the memory of its source:
    a write to the source shows everywhere, and nothing can be added to it in place.
    """
    source, model = be.tensor(x), x.copy()
    sizes = (2, *(3 if size == 1 else size for size in x.shape))
    expanded = be.expand(source, *sizes)
    assert be.shares_memory(expanded, source)
    for stride, size in zip(be.strides(expanded), (1, *x.shape), strict=True):
        assert (stride == 0) == (size == 1)
    be.add_(source, 1.0)
    model += 1
    inner = be.expand(be.unsqueeze(source, x.ndim), *x.shape, 2)
    for overlapping in (expanded, inner):
        with be.raises(ErrorKind.OVERLAPPING_WRITE):
            be.add_(overlapping, 1.0)
    be.check(expanded, np.broadcast_to(model, sizes))
    be.check(inner, np.stack([model] * 2, -1))


@claim(
    "OPS-101",
    about="fill_ zero_ copy_ mul_",
    needs="views inplace expand fill_ zero_ copy_ mul_ torch",
    level="contract",
)
@example(x=np.ones((1, 4)))
@given(x=arrays(layouts=DENSE, min_size=1))
def test_one_number_may_be_written_to_what_is_expanded(be, x):
    """fill_ and zero_ write one number to an expanded tensor, and so to its source; what computes
    or copies entries is refused there.
    """
    source = be.tensor(x.copy())
    expanded = be.expand(source, 2, *x.shape)
    for write in (be.mul_, be.copy_):
        with be.raises(ErrorKind.OVERLAPPING_WRITE):
            write(expanded, be.tensor(np.ones((2, *x.shape))))
    be.check(source, x)
    for write, number in ((lambda z: be.fill_(z, 2.5), 2.5), (be.zero_, 0.0)):
        assert write(expanded) is expanded
        be.check(source, np.full(x.shape, number))


# ---- what is no number, or has no end ------------------------------------------------------------


@claim("OPS-108", about="add sub mul div neg sqrt", needs="neg sqrt", level="contract")
def test_zeros_have_signs_and_infinities_are_numbers(be):
    """Arithmetic with nan, infinities and signed zeros follows IEEE 754, signs included: -1 + 1 is
    0, the negative of 0 is -0, a quotient by zero is infinite, and the difference of two infinities
    is nan.
    """
    for name, function in ARITHMETIC.items():
        operands, want = applied(function, be.dtype)
        got = getattr(be, name)(*map(be.tensor, operands))
        be.check(got, want, name)
        assert np.array_equal(signs(be.numpy(got)), signs(want), equal_nan=True), name


@claim(
    "OPS-109",
    about="abs floor ceil round trunc",
    needs="abs floor ceil round trunc torch",
    level="contract",
)
def test_rounding_keeps_the_sign_of_zero(be):
    """A number that is rounded to zero keeps its sign, so -0.5 becomes -0 where it is not rounded
    down; the absolute value of -0 is 0.
    """
    for name, function in WHOLE_PARTS.items():
        operands, want = applied(function, be.dtype)
        be.same(getattr(be, name)(*map(be.tensor, operands)), want, name)


@claim("OPS-111", about="pow exp log tanh", needs="pow exp log tanh", level="contract")
def test_functions_have_limits_at_the_ends_of_their_domains(be):
    """Powers, exponentials and logarithms have at nan, infinities and zeros the values that C99
    gives: nan to the power 0 is 1, and a negative number has real powers for integer exponents
    only.
    """
    for name, function in LIMITS.items():
        operands, want = applied(function, "float64")
        got, at = be.numpy(getattr(be, name)(*map(be.tensor, operands))), unrounded(want)
        assert np.array_equal(np.isnan(got), np.isnan(want)), name
        assert np.array_equal(got[at], want[at], equal_nan=True), name


@claim("OPS-112", about="maximum minimum", needs="maximum minimum torch", level="contract")
def test_the_larger_of_nan_and_anything_is_nan(be):
    """The larger and the smaller of two numbers are nan if one of them is."""
    for name, function in (("maximum", np.maximum), ("minimum", np.minimum)):
        operands, want = applied(function, be.dtype)
        be.check(getattr(be, name)(*map(be.tensor, operands)), want, name)


@claim("OPS-110", about="eq ne lt le gt ge isnan", needs="eq ne lt le gt ge isnan")
def test_nan_is_equal_to_nothing(be):
    """Every comparison with nan is false except !=, so nan differs from itself; isnan is true of
    nan alone, and -0 equals 0.
    """
    for name, function in COMPARISONS.items():
        operands, want = applied(function, be.dtype)
        be.same(getattr(be, name)(*map(be.tensor, operands)), want, name)
    (numbers,), want = applied(np.isnan, be.dtype)
    be.same(be.isnan(be.tensor(numbers)), want)


@claim("OPS-120", about="clamp", needs="vjp clamp", level="contract")
@given(x=arrays(), w=arrays(), low=sampled_from((2.0, 0.5)), high=sampled_from((-1.0, 0.25)))
def test_crossed_bounds_leave_the_upper_one(be, x, w, low, high):
    """Where the lower bound lies above the upper one, clamp gives the upper one everywhere, and a
    gradient of zero.
    """
    value, pull = be.vjp(lambda z: be.clamp(z, low, high), x)
    be.check(value, np.full(np.shape(x), high))
    be.check_gradient(pull(w)[0], Total.of(0 * x))


@claim("OPS-123", about="mul", needs="vjp exp mul number_sub number_div number_pow")
@given(
    x=arrays(values=POSITIVE),
    w=arrays(values=POSITIVE),
    c=sampled_from((2.0, 0.5, 3.0)),
    name=sampled_from(("+", "-", "*", "/", "**")),
)
def test_a_number_may_stand_on_the_left(be, x, w, c, name):
    """An operator takes a number on its left as the first operand, in the value and in the gradient
    of the tensor on its right.
    """
    z = Jet.exact(x)
    combine, derivative = {
        "+": (operator.add, 1 + 0 * z),
        "-": (operator.sub, -1 + 0 * z),
        "*": (operator.mul, c + 0 * z),
        "/": (operator.truediv, -c / (z * z)),
        "**": (operator.pow, np.log(Jet.exact(c)) * Jet.exact(c) ** z),
    }[name]
    value, pull = be.vjp(lambda one: combine(c, be.mul(one, 1.0)), x)
    be.check(value, combine(Jet.exact(c), z).total)
    be.check(pull(w)[0], (w * derivative).total)
