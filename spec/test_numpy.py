"""numpy: crossing over and back."""

import warnings
from functools import partial
from operator import add, mul, sub, truediv

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, integers, sampled_from
from gradspec.conformance.strategies.factories import always_told
from gradspec.conformance.strategies.interchange import (
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
from gradspec.conformance.truth.oracles.jets import Jet


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
    own, other = Jet.exact(x), Jet.exact(y)
    be.check(apply(left, right), apply(own, other))
    by_x, by_y = (Jet.exact(w) * each for each in slopes(own, other))
    be.check(combined(be, left, apply, right, w), by_x.onto(x.shape))
    be.check(be.grad(right), by_y)


@claim("NPY-51", about="sum amax amin matmul", needs="amax amin")
@example(expression=Expression((np.array([1, 2, 3]), np.eye(3, dtype=int)), ("x * y",), "sum(x)"))
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
    either shows in both. Negative strides, and what is no array, are refused.
    """
    tensor = be.from_numpy(array)
    assert be.strides(tensor) == tuple(step // array.itemsize for step in array.strides)
    place = tuple(map(int, np.unravel_index(at % array.size, array.shape)))
    for number in (1, 0):
        array[place] = number
        assert np.array_equal(be.numpy(tensor), array)
        be.setitem(tensor, place, 1 - number)
        assert array[place] == 1 - number
    for wrong in (np.arange(4.0)[::-1], array.tolist(), array[place]):
        with be.raises(ErrorKind.ARGUMENT):
            be.from_numpy(wrong)


@claim("NPY-04", about="from_numpy", needs="numpy_interop")
@example(dtypes=DTYPES)
def test_dtypes_survive_the_crossing(be, dtypes):
    """An array becomes a tensor of the dtype of the same name, and a tensor an array of it; text,
    objects and foreign byte orders are refused.
    """
    for dtype in dtypes:
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


@claim(
    "NPY-101",
    about="as_tensor asarray from_dlpack",
    needs="numpy_interop views inplace as_tensor asarray from_dlpack",
    level="contract",
)
@given(array=carried(layouts=DENSE, min_dims=1, min_size=1), at=integers(0, 11))
def test_several_ways_lead_onto_the_memory_of_an_array(be, array, at):
    """On the host, as_tensor, asarray and from_dlpack make a tensor on the memory of an array, with
    its strides, as from_numpy does. Told another dtype, as_tensor and asarray copy, and asarray
    does so when it is told to copy; told not to where it has to, it refuses.
    """
    place = tuple(map(int, np.unravel_index(at % array.size, array.shape)))
    as_tensor, asarray, from_dlpack = (
        partial(make, device="cpu") for make in (be.as_tensor, be.asarray, be.from_dlpack)
    )
    own = array.dtype.name
    told = (partial(as_tensor, dtype=own), partial(asarray, dtype=own))
    for make in (as_tensor, asarray, from_dlpack, *told):
        tensor = make(array)
        assert be.dtype_of(tensor) == array.dtype
        assert be.strides(tensor) == tuple(step // array.itemsize for step in array.strides)
        for number in (1, 0):
            array[place] = number
            assert np.array_equal(be.numpy(tensor), array)
            be.setitem(tensor, place, 1 - number)
            assert array[place] == 1 - number
    other, before = "int16" if array.dtype.kind in "iub" else "complex128", array.copy()
    copies = [asarray(array, copy=True)]
    if array.dtype != other:
        copies += [as_tensor(array, dtype=other), asarray(array, dtype=other)]
        with be.raises(ErrorKind.DTYPE):
            asarray(array, dtype=other, copy=False)
    for copy in copies:
        be.setitem(copy, place, 7 if array.dtype != bool else not array[place])
        assert np.array_equal(array, before)


@claim(
    "NPY-106",
    about="as_tensor asarray from_dlpack",
    needs="numpy_interop as_tensor asarray from_dlpack",
    level="contract",
)
@example(x=np.array(1.0))
def test_an_array_without_axes_is_an_array(be, x):
    """On the host, as_tensor, from_dlpack and asarray of an array without axes lie on its memory as
    well.
    """
    for name in ("as_tensor", "from_dlpack", "asarray"):
        array = x.copy()
        tensor = getattr(be, name)(array, device="cpu")
        array[...] = 5
        assert be.numpy(tensor) == 5, f"{name} copied the array"


@claim(
    "NPY-102",
    about="as_tensor asarray",
    needs="numpy_interop backward views as_tensor asarray",
    level="contract",
)
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_a_tensor_that_is_taken_for_one_stays_itself(be, x, w):
    """as_tensor and asarray of a tensor, told nothing else, are the tensor itself, with its history
    if it has one; of a list or a number they are what a tensor made from data is.
    """
    leaf = be.leaf(x)
    for each in (be.tensor(x), leaf, leaf * leaf):
        with warnings.catch_warnings(action="ignore"):
            assert be.as_tensor(each) is be.asarray(each) is each
    with warnings.catch_warnings(action="ignore"):
        be.backward(be.asarray(leaf * leaf), w)
    be.check(be.grad(leaf), 2 * w * x)
    for data in ([1, 2], [[0.5, 2]], 3, True):
        want = be.from_data(data)
        be.same(be.as_tensor(data), want)
        be.same(be.asarray(data), want)


@claim("NPY-103", about="asarray", needs="numpy_interop backward asarray", level="contract")
@example(x=np.array([1.0, 2.0]))
def test_asarray_leaves_what_it_is_given_as_it_is(be, x):
    """asarray told whether its result requires grad says so of its result, and changes nothing in
    the tensor that it is given.
    """
    for make, flag in ((be.leaf, False), (be.tensor, True)):
        given_ = make(x)
        assert be.requires_grad(be.asarray(given_, requires_grad=flag)) is flag
        assert be.requires_grad(given_) is not flag


@claim(
    "NPY-104",
    about="from_numpy",
    needs="numpy_interop as_tensor asarray torch",
    level="contract",
)
@given(array=carried(layouts=DENSE, min_dims=1, min_size=1))
def test_arrays_that_are_only_read_are_taken_with_a_warning(be, array):
    """An array with axes that may not be written becomes a tensor of the host on its memory all the
    same, with a warning that writing would break the promise.
    """
    array.flags.writeable = False
    there = {"device": "cpu"}
    for make in (be.from_numpy, partial(be.as_tensor, **there), partial(be.asarray, **there)):
        with always_told(be), pytest.warns(UserWarning, match="not writable"):
            tensor = make(array)
        assert np.array_equal(be.numpy(tensor), array)
        assert np.shares_memory(be.to_numpy(tensor), array)


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


@claim("NPY-105", about="to_numpy", needs="numpy_interop views inplace transpose expand torch")
@given(
    array=carried(layouts=DENSE, min_dims=1, min_size=1),
    view=sampled_from(tuple(VIEWS)),
)
def test_numpy_reaches_a_tensor_by_its_protocols(be, array, view):
    """np.asarray and np.from_dlpack of a tensor give an array on its memory, with its dtype, shape
    and strides.
    """
    tensor = VIEWS[view](be, be.from_numpy(array))
    handed = be.to_numpy(tensor)
    for reach in (np.asarray, np.from_dlpack):
        reached = reach(tensor)
        assert (reached.dtype, reached.shape) == (handed.dtype, handed.shape)
        assert reached.strides == handed.strides
        handed[...] = handed == 0
        assert np.array_equal(reached, handed)


@claim(
    "NPY-03",
    "NPY-53",
    about="to_numpy",
    needs="backward detach no_grad numpy_interop views version_counter",
    level="contract",
)
@given(array=carried(dtypes=FLOATS, layouts=DENSE))
def test_what_is_tracked_is_not_handed_out(be, array):
    """A tensor that requires grad, leaf or result, is refused to numpy while recording, by its
    method and by numpy's own functions; under no_grad, or detached, it is handed out on its own
    memory, and what numpy writes there is not counted.
    """
    leaf = be.set_requires_grad(be.from_numpy(array))
    for tracked in (leaf, leaf * leaf):
        for hand_out in (be.to_numpy, np.asarray, np.from_dlpack):
            with be.raises(ErrorKind.TRACKED_EXPORT):
                hand_out(tracked)
        detached, version = be.to_numpy(be.detach(tracked)), be.version_of(tracked)
        with be.no_grad():
            handed = be.to_numpy(tracked)
        detached[...] = 2
        assert np.array_equal(handed, detached)
        assert np.array_equal(be.numpy(tracked), detached)
        assert be.version_of(tracked) == version


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


@claim(
    "NPY-54",
    about="to_numpy",
    needs="numpy_interop backward empty zeros conj views torch",
    level="contract",
)
@given(x=arrays())
def test_only_what_lies_on_the_host_is_handed_out(be, x):
    """A tensor on another device, one laid out sparsely, one of bfloat16 and one that is read
    conjugated are refused to numpy instead of being converted on the way. Brought to the host, or
    forced, a tensor is handed out: force detaches and conjugates, and brings it.
    """
    for wrong, kinds in (
        (be.empty(x.shape, device="meta"), [ErrorKind.DEVICE]),
        (be.zeros((2, 2), layout="sparse_coo", device="cpu"), [ErrorKind.ARGUMENT]),
        (be.zeros(2, dtype="bfloat16", device="cpu"), [ErrorKind.DTYPE]),
        (be.conj(be.tensor(x + 1j)), [ErrorKind.ARGUMENT, ErrorKind.DEVICE]),
    ):
        with be.raises(*kinds):
            be.to_numpy(wrong)
    with pytest.raises((BufferError, RuntimeError, TypeError)):
        np.from_dlpack(be.conj(be.tensor(x + 1j)))
    leaf = be.leaf(x)
    be.check(be.from_numpy(be.to_numpy(be.tensor(x).cpu())), x)
    for tracked in (leaf, leaf * 1.0):
        be.check(be.from_numpy(be.to_numpy(tracked, force=True)), x)
    forced = be.to_numpy(be.conj(be.tensor(x + 1j)), force=True)
    assert np.array_equal(forced, x - 1j)
    with be.raises(ErrorKind.DEVICE):
        be.to_numpy(be.empty(x.shape, device="meta"), force=True)


@claim(
    "NPY-220",
    about="to_numpy",
    needs="numpy_interop views inplace backward torch",
    level="contract",
    device="cpu",
)
@given(x=arrays(layouts=DENSE, min_size=1))
def test_what_is_forced_is_not_copied(be, x):
    """Handed out by force, a tensor of the host that is read as it lies, recorded or not, gives an
    array on its memory.
    """
    for tensor in (be.tensor(x), be.leaf(x), be.leaf(x) * 1.0):
        forced = be.to_numpy(tensor, force=True)
        forced[...] = 5.0
        be.check(be.detach(tensor), np.full(x.shape, 5.0))


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


@claim("NPY-57", about="from_numpy", needs="numpy_interop backward torch", level="contract")
@given(x=arrays(), y=arrays(values=NONZERO))
def test_arrays_are_operands_on_the_right_only(be, x, y):
    """An array to the right of + - * / is taken for a tensor of the host, but refused beside one
    that requires grad; to the left of a tensor, + - * refuse it and only / does not. A number of
    numpy is taken on either side.
    """
    tensor, array = be.from_numpy(x.astype(be.dtype)), y.astype(be.dtype)
    leaf = be.leaf(x, "cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for apply in (add, sub, mul, truediv):
            be.check(apply(tensor, array), apply(Jet.exact(x), y))
            be.check(apply(tensor, np.float64(2)), apply(x, 2.0))
            be.check(apply(np.float64(2), be.from_numpy(array)), apply(2.0, y))
            with be.raises(ErrorKind.TRACKED_EXPORT):
                apply(leaf, array)
        be.check(array / be.from_numpy(array), np.ones(y.shape))
        for apply in (add, sub, mul):
            with be.raises(ErrorKind.ARGUMENT):
                apply(array, tensor)
        with be.raises(ErrorKind.TRACKED_EXPORT):
            array / leaf
