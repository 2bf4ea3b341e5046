"""numpy: crossing over and back."""

import warnings
from operator import add, mul, sub, truediv

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, integers, sampled_from
from gradspec.conformance.strategies.crossing import (
    ARITHMETIC,
    DTYPES,
    FLOATS,
    STRIDED,
    VIEWS,
    Expression,
    carried,
    expressions,
)
from gradspec.conformance.strategies.programs import fitting


@workload
def combined(be, leaf, apply=mul, other=3.0, w=1.0):
    """The gradient of an operator between a tensor and another one, or a number."""
    be.backward(be.sum(be.mul(apply(leaf, other), w)))
    return be.grad(leaf)


# ---- the same values as numpy --------------------------------------------------------------------


@claim("NPY-06", about="leaf", needs="backward")
@given(
    x=fitting(values=NONZERO),
    y=arrays(values=NONZERO),
    w=arrays(),
    name=sampled_from(tuple(ARITHMETIC)),
)
def test_arithmetic_is_that_of_numpy_with_a_gradient(be, x, y, w, name):
    """An operator between tensors broadcasts and computes as between arrays, and its result also
    leads back to both operands.
    """
    apply, slopes = ARITHMETIC[name]
    left, right = be.leaf(x), be.leaf(y)
    be.check(apply(left, right), apply(x, y))
    by_x, by_y = slopes(x, y)
    be.check(combined(be, left, apply, right, w), Total.onto(w * by_x, x.shape))
    be.check(be.grad(right), w * by_y)


@claim("NPY-51", about="sum amax amin matmul", needs="amax amin")
@example(expression=Expression((np.array([1, 2, 3]), np.eye(3, dtype=int)), ("x * y",), "x"))
@given(expression=expressions())
def test_expressions_have_the_value_they_have_in_numpy(be, expression):
    """Arithmetic, broadcasting, basic indexing and reductions on floats and on integers, and matrix
    products of floats, give the values, the shape and the kind of number that numpy gives.
    """
    result, expected = expression.compute(be), expression.expected()
    be.check(result, expected)
    assert be.numpy(result).dtype.kind == expected.dtype.kind


# ---- into tensors --------------------------------------------------------------------------------


@claim("NPY-02", about="from_numpy", needs="numpy_interop views inplace")
@example(array=np.array([[1, 2, 3], [4, 5, 6]]), at=0)
@given(array=carried(layouts=DENSE, min_size=1), at=integers(0, 11))
def test_from_numpy_shares_memory(be, array, at):
    """from_numpy makes a tensor on the memory of an array, with its strides: what is written to
    either shows in both. Negative strides are refused.
    """
    tensor = be.from_numpy(array)
    assert be.strides(tensor) == tuple(step // array.itemsize for step in array.strides)
    place = tuple(map(int, np.unravel_index(at % array.size, array.shape)))
    for number in (1, 0):
        array[place] = number
        assert np.array_equal(be.numpy(tensor), array)
        be.setitem(tensor, place, 1 - number)
        assert array[place] == 1 - number
    with be.raises(ErrorKind.ARGUMENT):
        be.from_numpy(np.arange(4.0)[::-1])


@claim("NPY-04", about="from_numpy", needs="numpy_interop")
@given(dtype=sampled_from(DTYPES))
def test_dtypes_survive_the_crossing(be, dtype):
    """An array becomes a tensor of the dtype of the same name, and a tensor an array of it; text,
    objects and foreign byte orders are refused.
    """
    tensor = be.from_numpy(np.ones(2, dtype))
    assert be.dtype_of(tensor) == dtype
    assert be.to_numpy(tensor).dtype == dtype
    swapped = np.ones(2, "i4").astype(np.dtype("i4").newbyteorder())
    for stranger in (np.array(["1"]), np.array([None]), swapped):
        with be.raises(ErrorKind.DTYPE):
            be.from_numpy(stranger)


@claim("NPY-05", about="from_numpy", needs="numpy_interop")
@example(array=np.array(1.0))
@example(array=np.zeros((0, 3)))
@given(array=carried(layouts=STRIDED, min_dims=2, min_size=1))
def test_there_and_back_is_the_identity(be, array):
    """An array that became a tensor comes back with the same entries in the same places, whatever
    its strides.
    """
    assert np.array_equal(be.to_numpy(be.from_numpy(array)), array)
    assert np.array_equal(be.numpy(be.from_numpy(array)), array)


@claim("NPY-01", about="from_data", needs="from_data numpy_interop views inplace")
@example(array=np.array([[1, 2, 3], [4, 5, 6]]), at=0)
@given(array=carried(layouts=DENSE, min_size=1), at=integers(0, 11))
def test_tensors_made_from_values_are_copies(be, array, at):
    """A tensor made from the values of an array has its dtype and its own memory: what is written
    to either never shows in the other.
    """
    tensor, before = be.from_data(array), array.copy()
    assert be.dtype_of(tensor) == array.dtype
    place = tuple(map(int, np.unravel_index(at % array.size, array.shape)))
    array[place] = array[place] == 0
    assert np.array_equal(be.numpy(tensor), before)
    before[...] = array
    be.setitem(tensor, place, 2)
    assert np.array_equal(array, before)


# ---- into arrays ---------------------------------------------------------------------------------


@claim("NPY-52", about="to_numpy", needs="numpy_interop views inplace transpose expand")
@given(
    array=carried(layouts=DENSE, min_dims=1, min_size=1),
    view=sampled_from(tuple(VIEWS)),
    at=integers(0, 11),
)
def test_to_numpy_shares_memory(be, array, view, at):
    """The array that a tensor is handed out as has the tensor's memory, shape and strides: what is
    written to either shows in both.
    """
    tensor = VIEWS[view](be, be.from_numpy(array))
    handed = be.to_numpy(tensor)
    assert tuple(step // handed.itemsize for step in handed.strides) == be.strides(tensor)
    place = tuple(map(int, np.unravel_index(at % handed.size, handed.shape)))
    for number in (1, 0):
        handed[place] = number
        assert np.array_equal(be.numpy(tensor), handed)
        be.setitem(tensor, place, 1 - number)
        assert handed[place] == 1 - number


@claim(
    "NPY-03",
    "NPY-53",
    about="to_numpy",
    needs="backward detach no_grad numpy_interop views",
    level="contract",
)
@given(array=carried(dtypes=FLOATS, layouts=DENSE))
def test_what_is_tracked_is_not_handed_out(be, array):
    """A tensor that requires grad, leaf or result, is refused to numpy while recording; under
    no_grad, or detached, it is handed out on its own memory.
    """
    leaf = be.set_requires_grad(be.from_numpy(array))
    for tracked in (leaf, leaf * leaf):
        with be.raises(ErrorKind.TRACKED_EXPORT):
            be.to_numpy(tracked)
        detached = be.to_numpy(be.detach(tracked))
        with be.no_grad():
            handed = be.to_numpy(tracked)
        detached[...] = 2
        assert np.array_equal(handed, detached)
        assert np.array_equal(be.numpy(tracked), detached)


@claim("NPY-55", about="to_numpy permute", needs="numpy_interop views inplace permute")
@given(x=arrays(min_dims=3, min_size=1, layouts=DENSE), at=integers(0, 11))
def test_channels_move_last_without_a_copy(be, x, at):
    """Transposed to height, width, channel, the array of an image is still the tensor's memory,
    entry by entry what permute gives.
    """
    tensor = be.from_numpy(x)
    image = np.transpose(be.to_numpy(tensor), (1, 2, 0))
    assert np.array_equal(image, be.numpy(be.permute(tensor, (1, 2, 0))))
    c, h, w = map(int, np.unravel_index(at % x.size, x.shape))
    image[h, w, c] = 99
    assert be.numpy(tensor)[c, h, w] == 99


# ---- devices -------------------------------------------------------------------------------------


@claim("NPY-54", about="to_numpy", needs="numpy_interop empty torch", level="contract")
@given(x=arrays())
def test_only_what_lies_on_the_host_is_handed_out(be, x):
    """A tensor on another device is refused to numpy instead of being copied on the way; brought to
    the host, it is handed out.
    """
    with be.raises(ErrorKind.DEVICE):
        be.to_numpy(be.empty(x.shape, device="meta"))
    be.check(be.from_numpy(be.to_numpy(be.tensor(x).cpu())), x)


@claim("NPY-56", about="from_numpy", needs="numpy_interop empty_like torch", level="contract")
@given(x=arrays())
def test_arrays_stay_on_the_host(be, x):
    """A tensor made from an array lies on the host, where the array stays when the tensor moves;
    an array itself has no place among tensors of another device.
    """
    tensor = be.from_numpy(x)
    moved = tensor.to("meta")
    assert [str(t.device) for t in (tensor, moved)] == ["cpu", "meta"]
    assert x.device == "cpu"
    assert not hasattr(x, "to")
    with warnings.catch_warnings(), be.raises(ErrorKind.DEVICE):
        warnings.simplefilter("ignore")
        moved + x


# ---- side by side --------------------------------------------------------------------------------


@claim("NPY-57", about="from_numpy", needs="numpy_interop torch", level="contract")
@given(x=arrays(), y=arrays(values=NONZERO))
def test_arrays_are_operands_on_the_right_only(be, x, y):
    """An array to the right of + - * / is taken for a tensor; to the left of a tensor, + - * refuse
    it and only / does not.
    """
    tensor, array = be.from_numpy(x.astype(be.dtype)), y.astype(be.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for apply in (add, sub, mul, truediv):
            be.check(apply(tensor, array), apply(x, y))
        be.check(array / be.from_numpy(array), np.ones(y.shape))
        for apply in (add, sub, mul):
            with be.raises(ErrorKind.ARGUMENT):
                apply(array, tensor)
