"""Tensors from data: numbers, sequences and arrays."""

import math
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, every, example, given
from gradspec.conformance.strategies import arrays, integers, lists, sampled_from
from gradspec.conformance.strategies.numbers import (
    DTYPES,
    INTEGERS,
    NO_DATA,
    NUMBERS,
)

NO_WORKLOAD = "sending an array to a device is timed in the chapter on speed"

# ---- from data -----------------------------------------------------------------------------------


@claim("TEN-12", about="from_data", needs="from_data backward torch", level="contract")
@every(dtype=DTYPES)
@given(
    x=arrays(),
)
def test_from_data_copies(be, x, dtype):
    """A tensor made from an array is a copy with the array's dtype, in which later writes to the
    array do not show; an array that runs backwards through memory is refused. One made from a
    tensor is a copy too, with a warning, and requires no grad.
    """
    array = np.array(abs(x), dtype)
    made, want = be.from_data(array), array.copy()
    array[...] = 7
    be.same(made, want)
    with be.raises(ErrorKind.ARGUMENT):
        be.from_data(np.arange(3.0)[::-1])
    leaf = be.leaf(x)
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        copy = be.from_data(leaf)
    assert not be.shares_memory(copy, leaf)
    assert not be.requires_grad(copy)
    be.check(copy, x)


@claim("TEN-56", about="from_data", needs="from_data", level="contract")
@every(dtype=DTYPES)
@given(
    x=arrays(min_dims=1, min_size=1),
    end=integers(1, 4),
)
def test_from_data_takes_any_sequence(be, x, end, dtype):
    """Told a dtype, a list, a tuple, a range and an array of the same numbers make the same tensor.
    Told none, numbers of numpy and tensors of one entry keep theirs, alone and in lists, and what
    Python writes makes of a tuple what it makes of a list.
    """
    array = np.abs(x).astype(dtype)
    flat = array.ravel()
    for data in (array, array.tolist(), tuple(map(tuple, array.reshape(len(x), -1)))):
        made = be.from_data(data, dtype=dtype)
        be.same(be.reshape(made, x.shape), array)
    be.same(be.from_data(range(end), dtype=dtype), np.arange(end).astype(dtype))
    be.same(be.from_data(array, dtype="complex128"), array.astype("complex128"))
    be.same(be.from_data(flat[0]), np.asarray(flat[0]))
    for entries in (list(flat), [be.from_data(entry) for entry in flat]):
        be.same(be.from_data(entries), flat)
    be.same(be.from_data(range(end)), np.arange(end))
    be.same(be.from_data(tuple(flat.tolist())), be.from_data(flat.tolist()))


@claim("TEN-05", "TEN-55", about="from_data", needs="from_data", level="contract")
@example(row=[5.5, 3])
@example(row=[True, 2])
@example(row=[1, 2j])
@example(row=[])
@given(row=lists(sampled_from(NUMBERS), max_size=4))
def test_dtype_is_the_widest_kind_among_the_numbers(be, row):
    """While the default dtype is float32, the dtype from numbers of Python is complex64 if one of
    them is complex, else float32 if one is a float or there are none, else int64 if one is an int,
    else bool.
    """
    data = np.array([row, row[::-1]])
    kinds = {"c": "complex64", "f": "float32", "i": "int64", "b": "bool"}
    be.same(be.from_data(data.tolist()), data.astype(kinds[data.dtype.kind]))
    be.same(be.from_data([row, row[::-1]]), data.astype(kinds[data.dtype.kind]))


@claim(
    "TEN-03",
    about="from_data",
    needs="from_data Tensor FloatTensor IntTensor full full_like new_full zeros",
    level="contract",
)
@example(data=[1.0, None], short=0, power=63)
@every(data=NO_DATA)
@given(short=integers(0, 3), power=integers(63, 70))
def test_only_numbers_make_a_tensor(be, data, short, power):
    """What is no rectangular array of numbers makes no tensor: every constructor refuses text, None
    and other objects, alone, in lists and in arrays, and ragged lists. An integer beyond int64 is
    refused too, unless it is to be a float.
    """
    model = be.zeros(2)
    for make in (
        be.from_data,
        be.Tensor,
        be.FloatTensor,
        be.IntTensor,
        lambda value: be.full((2,), value),
        lambda value: be.full_like(model, value),
        lambda value: be.new_full(model, (2,), value),
    ):
        with be.raises(ErrorKind.ARGUMENT, ErrorKind.DTYPE):
            make(data)
    for array in (np.array(["a"]), np.array([data], object)):
        with be.raises(ErrorKind.ARGUMENT, ErrorKind.DTYPE):
            be.from_data(array)
    for make in (be.from_data, be.Tensor, be.FloatTensor, be.IntTensor):
        with be.raises(ErrorKind.SHAPE):
            make([[1, 2, 3, 4], [1] * short])
    with be.raises(ErrorKind.OVERFLOW):
        be.from_data([2**power])
    be.same(be.from_data([2**power], dtype="float64"), np.array([2.0**power]))


@claim("TEN-19", about="from_data", needs="from_data", level="contract")
@example(values=(1.0, -1.9, 0.5, 0.0, -0.0, 1, -2, 7.75, 1e-9), beyond=(1, 2, 172))
def test_numbers_take_the_dtype_asked_for(be, values, beyond):
    """A number need not be written in the dtype asked for: a float is cut towards zero by integers
    and made True by bool unless it is 0. Refused are a number beyond a signed dtype, one above an
    unsigned dtype, nan for an integer, and a complex number for a real dtype.
    """
    for value, dtype in product(values, (*INTEGERS, "float32", "float64", "bool", "complex64")):
        be.same(be.from_data(value, dtype=dtype), np.array(value).astype(dtype))
        be.same(be.from_data([value], dtype=dtype), np.array([value]).astype(dtype))
    for dtype in (*INTEGERS, "uint8"):
        limits = np.iinfo(dtype)
        below = [limits.min - n for n in beyond] if limits.min else []
        for number in (*(limits.max + n for n in beyond), *below, 1e30, -1e30, math.nan, math.inf):
            with be.raises(ErrorKind.OVERFLOW):
                be.from_data(number, dtype=dtype)
            with be.raises(ErrorKind.OVERFLOW):
                be.from_data([number], dtype=dtype)
    for dtype in (*INTEGERS, "uint8", "float32"):
        with be.raises(ErrorKind.ARGUMENT):
            be.from_data(1j, dtype=dtype)


@claim(
    "TEN-500",
    about="from_data full",
    needs="from_data full zeros fill_ masked_fill torch",
    level="contract",
)
@every(dtype=INTEGERS)
def test_the_first_number_beyond_a_dtype_is_refused(be, dtype):
    """The least power of two that a signed dtype does not hold is refused as a float as well,
    though as a float the largest number of 64 bits is no other: by whoever makes a tensor of it,
    and by what is filled with it.
    """
    beyond, zeros = float(np.iinfo(dtype).max + 1), be.zeros(2, dtype=dtype)
    for make in (
        lambda: be.from_data([beyond], dtype=dtype),
        lambda: be.full((2,), beyond, dtype=dtype),
        lambda: be.masked_fill(zeros, be.from_data([True, False]), beyond),
        lambda: be.fill_(zeros, beyond),
    ):
        with be.raises(ErrorKind.OVERFLOW):
            make()


# ---- the class Tensor and typed constructors -----------------------------------------------------


@claim(
    "TEN-11",
    "TEN-67",
    about="Tensor",
    needs="from_data Tensor zeros backward shape size torch",
    level="contract",
)
@given(
    values=lists(integers(-9, 9), max_size=4),
    n=integers(0, 5),
    m=integers(0, 5),
    default=sampled_from(("float32", "float64")),
)
def test_tensor_is_a_class_and_no_other_name_of_the_function(be, values, n, m, default):
    """Tensor is the class of all tensors: it reads integers, or a size, as sizes and a sequence as
    values of the default dtype, where the function reads a number as one entry and keeps integers.
    The class takes a tensor itself, and neither a bare float nor keywords.
    """
    kind = be.backend.functions["Tensor"]
    assert isinstance(kind, type)
    for tensor in (be.from_data(values), be.zeros(n), be.tensor([1.0]), be.leaf([2.0]) * 3.0):
        assert type(tensor) is kind
    assert be.shape(be.Tensor(n)) == (n,)
    assert be.shape(be.Tensor(n, m)) == be.shape(be.Tensor(be.size(be.zeros(n, m)))) == (n, m)
    assert be.shape(be.from_data(n)) == ()
    with be.defaults(dtype=default):
        made = be.Tensor(values)
        be.same(made, np.array(values, default))
        be.same(be.Tensor((n, m)), np.array([n, m], default))
        be.same(be.from_data([n, m]), np.array([n, m]))
        assert be.shares_memory(be.Tensor(made), made) == bool(values)
        for options in ({"dtype": None}, {"requires_grad": True}):
            with be.raises(ErrorKind.ARGUMENT):
                be.Tensor(values, **options)
        with be.raises(ErrorKind.ARGUMENT):
            be.Tensor(n + 0.5)


@claim("TEN-18", about="IntTensor", needs="IntTensor FloatTensor torch", level="contract")
@example(x=np.array([1.7, -2.2, 3.0, 4.0]))
@given(x=arrays(shape=(4,)))
def test_typed_constructors_convert_a_sequence(be, x):
    """IntTensor and FloatTensor hold the values of a list or a tuple, one entry for each, as int32
    cut towards zero or as float32; a tuple of integers is data too, not a shape.
    """
    for data in (
        x.tolist(),
        tuple(x.tolist()),
        x.astype(int).tolist(),
        tuple(x.astype(int).tolist()),
    ):
        be.same(be.IntTensor(data), np.trunc(x).astype(np.int32))
        be.same(be.FloatTensor(data), np.array(data, np.float32))
