"""Tensors: shape, entries, and what a tensor looks like from Python."""

import math
import warnings
from copy import deepcopy
from itertools import product
from operator import add, index

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, floats, integers, lists, sampled_from
from gradspec.conformance.strategies.numbers import DTYPES, PYTHON_TYPES, sizes

# ---- shape ---------------------------------------------------------------------------------------


@claim("TEN-01", "TEN-65", about="from_data", needs="from_data dim numel shape")
@example(sizes=())
@example(sizes=(1,))
@example(sizes=(1, 2, 1, 3))
@given(sizes=sizes())
def test_rank_is_the_depth_of_nesting(be, sizes):
    """Numbers nested in lists k deep make a tensor of k dimensions, whose sizes are the lengths of
    the lists; a bare number makes one of no dimensions and one entry.
    """
    nested = np.arange(np.prod(sizes)).reshape(sizes).tolist()
    made, depth = be.from_data(nested), np.array(nested)
    assert be.shape(made) == depth.shape
    assert be.dim(made) == len(be.shape(made)) == depth.ndim
    assert be.numel(made) == depth.size


@workload
def stacked(be, leaf, factors=(2.0, -1.0, 0.5)):
    """A batch of multiples of one sample."""
    return be.stack([leaf * factor for factor in factors])


@claim("TEN-02", about="stack", needs="backward stack")
@example(x=np.zeros((4, 3, 2)), factors=[1.0] * 10)
@given(x=arrays(), factors=lists(sampled_from((1.0, 0.5, -2.0, 3.0)), min_size=1, max_size=4))
def test_a_batch_has_one_leading_dimension_more(be, x, factors):
    """Tensors of one shape stack to a batch with one dimension in front, along which it holds them
    in order; tensors of different shapes do not stack, even if one would broadcast.
    """
    leaf = be.leaf(x)
    batch = stacked(be, leaf, factors)
    be.check(batch, np.stack([factor * x for factor in factors]))
    for place, factor in enumerate(factors):
        be.same(batch[place], leaf * factor)
    with be.raises(ErrorKind.SHAPE):
        be.stack([leaf, be.tensor(x[None])])


@claim("TEN-09", "TEN-59", about="size", needs="numel shape size")
@example(x=np.zeros((2, 0, 5)))
@given(x=arrays())
def test_size_is_shape(be, x):
    """size() is the shape, and size(i) the plain int at place i of it, counted from the end where i
    is negative; the number of entries is their product.
    """
    made = be.tensor(x)
    assert be.size(made) == be.shape(made) == x.shape
    each = [be.size(made, i) for i in range(-x.ndim, x.ndim)]
    assert each == [*x.shape, *x.shape]
    assert {type(size) for size in (*be.size(made), *each, be.numel(made))} == {int}
    assert be.numel(made) == x.size
    for place in (x.ndim, -x.ndim - 1):
        with be.raises(ErrorKind.DIMENSION):
            be.size(made, place)


@claim("TEN-10", "TEN-60", about="size", needs="size torch", level="contract")
@example(x=np.zeros((5, 3)), extra=2)
@given(x=arrays(), extra=integers(0, 4))
def test_size_is_a_tuple(be, x, extra):
    """A size is a tuple, hashable and immutable, and never equal to a list; slices, multiples and
    sums with tuples on either side are sizes again, which know their product.
    """
    size, plain = be.size(be.tensor(x)), x.shape
    assert isinstance(size, tuple)
    assert len(size) == len(plain)
    assert [*map(size.index, size)] == [*map(plain.index, plain)]
    assert size != list(plain)
    assert {size: extra}[plain] == extra
    assert (*size,) == plain == deepcopy(size)
    assert (extra in size, size.count(extra), size < (extra,)) == (
        extra in plain,
        plain.count(extra),
        plain < (extra,),
    )
    for made, want in (
        (size[1:], plain[1:]),
        (add(size, (extra,)), (*plain, extra)),
        (add((extra,), size), (extra, *plain)),
        (size * 2, plain * 2),
        (2 * size, plain * 2),
    ):
        assert made == want
        assert type(made) is type(size)
        assert made.numel() == np.prod(want)
    with pytest.raises(TypeError):
        size[0] = extra
    with pytest.raises(TypeError):
        add(size, [extra])


# ---- the number in a tensor ----------------------------------------------------------------------


@claim("TEN-21", "TEN-62", about="item", needs="item")
@given(value=sampled_from((0.0, 1.0, -2.5)), rank=integers(0, 4), count=sampled_from((0, 2, 3)))
def test_item_wants_exactly_one_entry(be, value, rank, count):
    """item returns the entry of a tensor that has exactly one, whatever its rank, and refuses a
    tensor of none or of several.
    """
    assert be.item(be.tensor(np.full((1,) * rank, value))) == value
    with be.raises(ErrorKind.SHAPE):
        be.item(be.tensor(np.full((1,) * rank + (count,), value)))


@claim("TEN-22", "TEN-61", about="item", needs="item")
@example(value=0.1)
@example(value=-0.0)
@example(value=0.1580623984336853)
@example(value=0.9422121644020081)
@given(value=floats(-3e38, 3e38))
def test_item_is_the_stored_number_itself(be, value):
    """item is the very number that is stored, to the last bit: that of float32 widened to a float
    of Python, not the few digits that are printed.
    """
    item, stored = be.item(be.tensor([value])), float(np.dtype(be.dtype).type(value))
    assert (item, math.copysign(1, item)) == (stored, math.copysign(1, stored))


@claim("TEN-23", about="item", needs="full item")
@example(types=PYTHON_TYPES)
def test_item_is_of_the_kind_of_its_dtype(be, types):
    """item is a float for every floating dtype, an int for every integer one, a bool for bool and a
    complex for complex numbers.
    """
    for (dtype, kind), number in product(types.items(), (3, 0, 1)):
        item = be.item(be.full((1,), number, dtype=dtype))
        assert type(item) is kind
        assert item == kind(number)


@claim("TEN-24", about="item", needs="backward item")
@example(x=np.array([1.0]), w=np.array([1.0]), c=np.array([1.0]))
@given(x=arrays(shape=(1,)), w=arrays(), c=arrays())
def test_item_leaves_the_graph(be, x, w, c):
    """item is a plain number, silently taken even from a tensor that requires grad: a product with
    it has no gradient for the tensor.
    """
    leaf, factor = be.leaf(x), be.leaf(w)
    with warnings.catch_warnings(action="error"):
        number = be.item(leaf)
    be.backward(factor * number, c)
    be.check(be.grad(factor), c * x.item())
    assert be.grad(leaf) is None


@claim("TEN-104", about="from_data", needs="from_data torch", level="contract")
@example(numbers=(2.9, -2.9, 0.0, -0.0, 1e30, math.nan, math.inf, 3, -1, 0, True, False))
def test_a_tensor_of_one_entry_is_a_number_if_asked(be, numbers):
    """bool, int, float and complex of a tensor of one entry, whatever its rank, are those of the
    entry, and one of integers or bools is an index. Of none or several entries they are refused,
    and so is a float as an index.
    """
    for number, rank in product(numbers, range(3)):
        dtype = "float64" if type(number) is float else None
        one = be.from_data(np.full((1,) * rank, number).tolist(), dtype=dtype)
        assert bool(one) is bool(number)
        assert repr(float(one)) == repr(float(number))
        assert repr(complex(one)) == repr(complex(number))
        if math.isfinite(number):
            assert int(one) == int(number)
        if dtype is None:
            assert index(one) == number
        else:
            with be.raises(ErrorKind.DTYPE):
                index(one)
    for wrong, convert in product(([], [1, 2]), (bool, int, float, complex, index)):
        with be.raises(ErrorKind.SHAPE, ErrorKind.DTYPE):
            convert(be.from_data(wrong, dtype="int64"))


# ---- as Python sees it ---------------------------------------------------------------------------


@claim("TEN-105", about="vjp", needs="vjp")
@given(x=arrays(min_dims=1, min_size=1), w=arrays("weights", shape=(12,)))
def test_iteration_gives_the_slices_of_the_first_axis(be, x, w):
    """Iterating over a tensor gives its slices along the first axis, all of them and in order; the
    gradient of each goes back to its place.
    """
    assert len([*be.tensor(x)]) == len(x)
    w = w[: x.size].reshape(x.shape)
    for place, row in enumerate(be.tensor(x)):
        be.check(row, x[place])
        only = np.zeros(x.shape)
        only[place] = w[place]
        _, pull = be.vjp(lambda z, place=place: [*z][place], x)
        be.check(*pull(w[place]), only)


@claim("TEN-350", about="vjp", needs="vjp torch", level="contract")
@given(x=arrays(min_size=1), w=arrays("weights", shape=(12,)))
def test_reversed_turns_the_first_axis_round(be, x, w):
    """reversed gives the slices of the first axis in the opposite order, as one tensor, whose
    gradient is turned back; a tensor without axes stays as it is.
    """
    w = w[: x.size].reshape(x.shape)
    value, pull = be.vjp(reversed, x)
    be.check(value, x[::-1] if x.ndim else x)
    be.check(*pull(w), w[::-1] if x.ndim else w)


@claim("TEN-106", about="zeros", needs="zeros torch", level="contract")
@given(x=arrays(min_size=1), other=sampled_from((0.0, 1.0, 7.25, math.nan)))
def test_a_tensor_in_the_language_of_python(be, x, other):
    """A number, or a tensor, is in a tensor if it equals some entry; == compares entry by entry,
    while a tensor as a key is itself alone. One without axes has no len and no items.
    """
    values, again = be.tensor(x), be.tensor(x)
    equal, unequal = values == be.tensor(np.array(other)), values != again
    assert type(equal) is type(unequal) is type(values)
    be.same(equal, np.asarray(x == other))
    be.same(unequal, np.zeros(x.shape, bool))
    assert (x.flat[0] in values) is True
    assert (other in values) is bool((x == other).any())
    assert (again in values) is True
    assert (values == None, values != None) == (False, True)  # noqa: E711
    assert len(dict.fromkeys([values, again, values])) == 2
    assert {values: other}[values] is other
    assert [len(be.zeros(n, 2)) for n in range(3)] == [len([*be.zeros(n, 2)]) for n in range(3)]
    for function in (len, list):
        with be.raises(ErrorKind.ARGUMENT):
            function(be.tensor(x.flat[0]))


@claim("TEN-107", about="leaf", needs="backward views torch", level="contract")
@example(x=np.array(2.0), w=np.array(3.0), required=True)
@given(x=arrays(min_size=1), w=arrays(min_size=1), required=booleans())
def test_a_deep_copy_has_memory_of_its_own(be, x, w, required):
    """A deep copy of a leaf is a leaf, with values, a gradient and attributes of its own; what is
    one tensor is one in the copy, and two that share memory share it there. What was computed is
    not copied so.
    """
    leaf = be.leaf(x)
    be.backward(be.sum(leaf * be.tensor(w)))
    be.set_requires_grad(leaf, required)
    leaf.notes = ["kept"]
    copy, again, part = deepcopy([leaf, leaf, be.data(leaf)[..., None]])
    assert copy is again
    notes = getattr(copy, "notes", None)
    assert notes == leaf.notes
    assert notes is not leaf.notes
    be.check(copy, x)
    be.check(be.grad(copy), w)
    assert (be.is_leaf(copy), be.requires_grad(copy)) == (True, required)
    assert be.shares_memory(copy, part)
    for own, other in ((copy, leaf), (be.grad(copy), be.grad(leaf))):
        assert not be.shares_memory(own, other)
    with be.raises(ErrorKind.ARGUMENT):
        deepcopy(be.set_requires_grad(leaf) * 2.0)


# ---- what it looks like --------------------------------------------------------------------------


@claim("TEN-25", about="data", needs="backward data nn torch", level="contract")
@given(x=arrays())
def test_data_is_a_tensor_like_any_other(be, x):
    """A tensor and its .data are of one class; a parameter is of a subclass, and its .data of the
    class of all tensors.
    """
    leaf = be.leaf(x)
    for each in (be.tensor(x), leaf, leaf * leaf):
        assert type(be.data(each)) is type(each) is type(leaf)
    for parameter in be.layer("Linear", 1, 1).parameters():
        assert type(parameter) is not type(leaf)
        assert isinstance(parameter, type(leaf))
        assert type(be.data(parameter)) is type(leaf)


@claim("TEN-26", about="lookup", needs="backward data torch", level="contract")
@given(x=arrays(), y=arrays("other", shape=(2, 3)), w=arrays())
def test_swapped_tensors_exchange_all_but_their_names(be, x, y, w):
    """swap_tensors exchanges all that two tensors are, class, dtype, shape, entries, requires_grad,
    .grad and attributes; each name keeps its object. Swapped again they are what they were.
    """
    swap, leaf, mask = be.lookup("torch.utils:swap_tensors"), be.leaf(x), be.tensor(y > 0)
    be.backward(be.mul(leaf, leaf), w)
    leaf.told, gradient = "leaf", be.grad(leaf)
    for left, right in ((mask, leaf), (leaf, mask)):
        swap(leaf, mask)
        be.check(left, x)
        be.check(right, y > 0)
        assert [be.requires_grad(left), be.requires_grad(right)] == [True, False]
        assert [be.grad(left) is gradient, be.grad(right)] == [True, None]
        assert [left.told, hasattr(right, "told")] == ["leaf", False]
    parameter = be.lookup("torch.nn:Parameter")(be.tensor(x))
    kind, plain = type(parameter), type(mask)
    swap(parameter, mask)
    assert [type(parameter), type(mask)] == [plain, kind]


@claim(
    "TEN-20",
    "TEN-52",
    about="ones from_data",
    needs="backward detach from_data mul ones shape torch",
    level="contract",
)
@example(dtype="int8", sizes=(2, 2), parts=608827)
@every(dtype=DTYPES)
@given(sizes=sizes(), parts=integers(1, 2**20 - 1))
def test_repr_shows_what_is_not_default(be, dtype, sizes, parts):
    """The text of a tensor names its dtype unless the entries tell it, its device unless that is
    the host, requires_grad=True of a leaf and the node of a recorded result; of a float that is no
    integer it shows four decimals, which is not its value.
    """
    text, value = repr(be.ones(sizes, dtype=dtype)), 1 + parts / 2**20
    place = "" if be.device == "cpu" else f", device='{be.device}:0'"
    assert ("device=" in text) == bool(place)
    told = ("float32",) if 0 in sizes else ("float32", "int64", "bool", "complex64")
    assert (f"dtype=torch.{dtype}" in text) == (dtype not in told)
    assert (f"size={sizes}" in text) == (0 in sizes and len(sizes) > 1)
    leaf = be.leaf(value)
    assert "requires_grad=True" in repr(leaf)
    assert "grad_fn=<MulBackward0>" in repr(be.mul(leaf, leaf))
    assert "grad" not in repr(be.detach(be.mul(leaf, leaf)))
    assert repr(be.from_data(value)) == f"tensor({np.float32(value):.4f}{place})"
    large = value * 1e10
    assert repr(be.from_data(large)) == f"tensor({np.float32(large):.4e}{place})"


@claim("TEN-110", about="unbind", needs="views unbind", level="contract")
@given(x=arrays(min_dims=1))
def test_what_python_asks_of_a_tensor(be, x):
    """len is the size of the first axis, which a scalar does not have, and iteration yields the
    views along it; the truth value of a tensor of one entry is that of the entry, and that of a
    larger one is refused.
    """
    tensor, scalar = be.tensor(x), be.tensor(x.ravel()[:1])
    assert len(tensor) == len(x)
    found = list(tensor)
    assert len(found) == len(x)
    for row, slice_, want in zip(found, be.unbind(tensor), x, strict=True):
        be.check(row, want)
        assert be.shares_memory(row, slice_) or not want.size
    if x.size:
        assert bool(scalar) is bool(x.flat[0])
        with pytest.raises(TypeError):
            len(scalar[0])
    if x.size > 1:
        with pytest.raises((RuntimeError, ValueError)):
            bool(tensor)


@claim(
    "TEN-240",
    about="clone",
    needs="views clone permute neg empty_like contiguous torch",
    level="contract",
)
@given(x=arrays("block", shape=(2, 3, 4)), order=sampled_from([(1, 0, 2), (2, 0, 1), (0, 2, 1)]))
def test_copies_keep_the_order_of_memory(be, x, order):
    """What is dense keeps its order in memory where it is cloned, made like it or computed entry by
    entry; contiguous puts it into that of its axes.
    """
    source = be.permute(be.tensor(np.ascontiguousarray(x)), order)
    for made in (be.clone(source), be.mul(source, 2.0), be.neg(source), be.empty_like(source)):
        assert be.strides(made) == be.strides(source)
    straight = be.contiguous(source)
    assert be.strides(straight) == tuple(n // x.itemsize for n in np.empty(straight.shape).strides)
    be.same(straight, source)
