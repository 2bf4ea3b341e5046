"""Arithmetic: operands that broadcast and promote, results that are new."""

import warnings
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, POSITIVE, arrays, sampled_from
from gradspec.conformance.strategies.numbers import OPERANDS, TENSORS, Operand, dtype_of_sum
from gradspec.conformance.strategies.programs import clashes, fitting

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
    be.check(total, Total.of(x, y))
    for other in (be.add(b, a), a + b, b + a, be.add_(be.clone(b), a)):
        be.same(other, total)


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
    y, n = x + shift, x.size
    mean, pull = be.vjp(lambda z: mean_of_squares(be, z, factor, shift), x)
    be.check(mean, Total.along(factor * y * y / n))
    be.check(pull(np.asarray(w))[0], 2 * factor * y * w / n)


@claim("OPS-09", about="mean sum", needs="", level="contract")
@example(x=np.arange(1.0, 7.0).reshape(2, 3))
@given(x=arrays(min_size=1))
def test_a_mean_is_the_sum_over_the_count(be, x):
    """A mean is the sum of all entries over their number, a tensor without axes, nan if there are
    none, refused for integers. A power of two as a factor gives the same bits on either side.
    """
    source = be.tensor(x)
    be.check(be.mean(source), Total.along(x / x.size))
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
    be.check(normal, (x - centre) / scale)
    be.check(pull(w)[0], w / scale)
    be.check(be.add(be.mul(normal, scale), centre), Total.of(x - centre, centre))


@claim("OPS-62", about="conj", needs="backward views conj torch numpy_interop", level="contract")
@given(x=arrays(), y=arrays(), w=arrays())
def test_conj_is_a_view_that_changes_a_sign(be, x, y, w):
    """conj negates the imaginary part, as a view that numpy is refused; twice, it is the identity,
    and real tensors it returns as they are. The gradient of w z conj(z) is 2 w z.
    """
    values = np.asarray(x + 1j * y)
    z, real = be.set_requires_grad(be.tensor(values)), be.tensor(x)
    conjugate = be.conj(z)
    be.same(conjugate, np.asarray(x - 1j * y))
    be.same(be.conj(conjugate), values)
    assert be.conj(real) is real
    assert be.shares_memory(conjugate, z) or not x.size
    with be.raises(ErrorKind.ARGUMENT, ErrorKind.DEVICE):
        be.to_numpy(be.detach(conjugate))
    be.backward(be.mul(z, conjugate), w.astype(complex))
    be.same(be.grad(z), np.asarray(2 * w * values))


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


@claim("OPS-02", about="add", needs="torch from_data", level="contract")
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
    entries, and silently if it had none.
    """
    a, b, filled = be.tensor(x), be.tensor(y), be.tensor(np.ones(shape))
    with pytest.warns(UserWarning, match="was resized"):
        be.add(a, b, out=filled)
    be.check(filled, Total.of(x, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        be.check(be.add(a, b, out=be.tensor(np.zeros(0))), Total.of(x, y))


@claim("OPS-04", "OPS-53", about="add", needs="backward no_grad torch", level="contract")
@given(x=arrays(), y=arrays(), start=arrays(layouts=DENSE))
def test_out_is_not_differentiated(be, x, y, start):
    """While recording, out is refused if an operand or out itself requires grad, whichever; under
    no_grad it is written.
    """
    for tracked in [*product((False, True), repeat=3)][1:]:
        a, b, out = (
            (be.leaf if flag else be.tensor)(values)
            for flag, values in zip(tracked, (x, y, start), strict=True)
        )
        with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
            be.add(a, b, out=out)
        be.check(out, start)
        with be.no_grad():
            be.add(a, b, out=out)
        be.check(out, Total.of(x, y))


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


@claim("OPS-07", about="expand", needs="views inplace expand add_")
@example(x=np.ones((1, 4)))
@given(x=arrays(layouts=DENSE, min_size=1))
def test_broadcasting_copies_nothing(be, x):
    """An expanded tensor has stride zero along its new axes and lies in the memory of its source:
    a write to the source shows everywhere, and it cannot be written itself.
    """
    source, model = be.tensor(x), x.copy()
    sizes = (2, *(3 if size == 1 else size for size in x.shape))
    expanded = be.expand(source, *sizes)
    assert be.shares_memory(expanded, source)
    for stride, size in zip(be.strides(expanded), (1, *x.shape), strict=True):
        assert (stride == 0) == (size == 1)
    be.add_(source, 1.0)
    model += 1
    with be.raises(ErrorKind.OVERLAPPING_WRITE):
        be.add_(expanded, 1.0)
    be.check(expanded, np.broadcast_to(model, sizes))


# ---- operands of several dtypes ------------------------------------------------------------------


@claim("OPS-10", about="mul", needs="backward")
@given(x=arrays(min_dims=1), y=arrays(min_dims=1), w=arrays(min_dims=1))
def test_a_gradient_has_the_dtype_of_its_leaf(be, x, y, w):
    """Operands of two floating dtypes make a result of the wider one, and each leaf receives its
    gradient in its own.
    """
    other = {"float32": "float64"}.get(be.dtype, "float32")
    a, b = be.leaf(x), be.backend.leaf(y, other, be.device)
    product_ = be.mul(a, b)
    assert be.dtype_of(product_) == np.result_type(be.dtype, other)
    be.backward(be.sum(be.mul(w, product_)))
    be.check(be.grad(a), w * y)
    assert be.dtype_of(be.grad(b)) == other
    assert np.array_equal(be.numpy(be.grad(b)), w * x)


@claim("OPS-51", about="add", needs="inplace from_data add_ torch", level="contract")
@example(x=Operand("int32", "vector"), y=Operand("float32", "number"))
@example(x=Operand("float32", "vector"), y=Operand("float64", "scalar"))
@example(x=Operand("bool", "vector"), y=Operand("bool", "vector"))
@given(x=sampled_from(TENSORS), y=sampled_from(OPERANDS))
def test_a_sum_has_the_highest_kind_among_its_operands(be, x, y):
    """A sum has the wider dtype of the higher kind, of bools, integers and floats; a 0-d tensor
    next to one with axes, and a number next to any tensor, count only if their kind is higher. In
    place a sum of a higher kind is refused, any other is cast.
    """
    want = dtype_of_sum(x, y)
    a = be.from_data(x.value, dtype=x.dtype)
    b = y.value if y.form == "number" else be.from_data(y.value, dtype=y.dtype)
    assert be.dtype_of(be.add(a, b)) == be.dtype_of(b + a) == want
    row = be.from_data([1, 1], dtype=x.dtype)
    be.add_(row, be.from_data([1, 1], dtype="bool"))
    assert be.dtype_of(row) == x.dtype
    with be.raises(ErrorKind.INPLACE_DTYPE):
        be.add_(row, be.from_data([1, 1], dtype="complex64"))
