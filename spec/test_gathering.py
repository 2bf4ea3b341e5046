"""Gathering: entries read by index, by mask and by condition."""

import warnings
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import arrays, integers, lists
from gradspec.conformance.strategies.factories import always_told
from gradspec.conformance.strategies.indices import Scatter, Selection, scatters, selections
from gradspec.conformance.strategies.numbers import OPERANDS, dtype_of_sum
from gradspec.conformance.strategies.programs import fitting
from gradspec.conformance.strategies.rearrangements import origins
from gradspec.conformance.table import GIVEN_INT32, told_in_32_bits

SQUARE = np.arange(4.0).reshape(2, 2)

# ---- by index ------------------------------------------------------------------------------------


@workload
def shuffled(be, leaf):
    """Three of four columns read in another order, one of them twice, and sent back as they are."""
    columns = be.reshape(leaf, (-1, 4))
    order = be.expand(be.tensor(np.array([[3, 0, 1, 0]])), *columns.shape)
    value, pull = be.vjp(lambda x: be.gather(x, 1, order), columns)
    return pull(value)[0]


@claim("IDX-53", about="gather", needs="vjp gather reshape expand")
@example(call=Scatter(SQUARE, 1, np.array([[0, 0], [1, 0]]), np.zeros((2, 2))), w=np.arange(36.0))
@given(call=scatters(min_dims=1), w=arrays("weights", shape=(36,)))
def test_gather_reads_where_the_index_points(be, call, w):
    """The result of gather has the shape of index, and holds at every position p the entry of x at
    p with index[p] in place of p's entry along dim. An entry read several times receives the sum of
    the cotangents.
    """
    flat, w = w[:8], w[: call.index.size].reshape(call.index.shape)
    places = [place for _, place in call.writes()]
    got, pull = be.vjp(lambda x: be.gather(x, call.dim, be.tensor(call.index)), call.x)
    be.check(got, np.array([call.x[place] for place in places]).reshape(w.shape))
    be.check(pull(w)[0], *origins(lambda n: np.array([n[p] for p in places], int), w, call.x))
    be.check(shuffled(be, be.tensor(flat)), flat.reshape(2, 4) * [2, 1, 0, 1])


@claim("IDX-55", about="index_select", needs="vjp views index_select")
@example(call=Selection(SQUARE, 0, np.array([0, 1])), w=np.ones(36))
@given(call=selections("slices"), w=arrays("weights", shape=(36,)))
def test_index_select_takes_whole_slices(be, call, w):
    """index_select copies the slices that a vector of places names along an axis, in its order and
    as often as it names them; the gradient of a slice is the sum over all copies.
    """
    want = np.take(call.x, call.index, call.dim)
    w = w[: want.size].reshape(want.shape)
    source, index = be.tensor(call.x), be.tensor(call.index)
    got, pull = be.vjp(lambda x: be.index_select(x, call.dim, index), source)
    be.check(got, want)
    be.check(pull(w)[0], *origins(lambda n: np.take(n, call.index, call.dim), w, call.x))
    assert not be.shares_memory(got, source)


@claim("IDX-340", about="take", needs="vjp take index_select gather")
@given(x=arrays(shape=(3,)), counts=lists(integers(0, 70), min_size=3, max_size=3))
def test_what_is_read_often_has_as_large_a_gradient(be, x, counts):
    """An entry that is read any number of times, in whatever way, has a gradient of as many."""
    places = be.tensor(np.repeat(np.arange(3), counts))
    for read in (
        lambda z: z[places],
        lambda z: be.take(z, places),
        lambda z: be.index_select(z, 0, places),
        lambda z: be.gather(z, 0, places),
    ):
        _, pull = be.vjp(read, be.tensor(x))
        be.check_gradient(*pull(be.tensor(np.ones(sum(counts)))), np.array(counts, float))


@claim("IDX-58", about="take", needs="vjp take")
@example(call=Selection(np.arange(6.0).reshape(3, 2).T, 0, np.array([[1, -1]])), w=np.ones(36))
@given(call=selections("flat"), w=arrays("weights", shape=(36,)))
def test_take_reads_as_if_there_were_one_axis(be, call, w):
    """take numbers the entries in row-major order, whatever the strides, from the end if negative,
    and gives a result in the shape of the index.
    """
    w = w[: call.index.size].reshape(call.index.shape)
    got, pull = be.vjp(lambda x: be.take(x, be.tensor(call.index)), call.x)
    be.check(got, np.take(call.x, call.index))
    be.check(pull(w)[0], *origins(lambda n: np.take(n, call.index), w, call.x))


@claim("IDX-59", about="take_along_dim", needs="vjp take_along_dim argmax", level="contract")
@example(call=Selection(np.arange(6.0).reshape(2, 3), 1, np.array([[0]])), w=np.ones(36))
@given(call=selections("along"), w=arrays("weights", shape=(36,)))
def test_take_along_dim_broadcasts_and_wraps(be, call, w):
    """take_along_dim gathers, repeating axes of one of index and counting negative places from the
    end; along dim, what argsort found is sorted and what argmax found, with keepdim, the largest.
    Without dim both x, in row-major memory, and index count as flat.
    """
    x, dim, index = call.x, call.dim, call.index
    want = np.take_along_axis(x, index, dim)
    w = w[: want.size].reshape(want.shape)
    source = be.tensor(x)
    got, pull = be.vjp(lambda z: be.take_along_dim(z, be.tensor(index), dim), x)
    be.check(got, want)
    be.check(pull(w)[0], *origins(lambda n: np.take_along_axis(n, index, dim), w, x))
    order, best = np.argsort(x, dim), be.argmax(source, dim, keepdim=True)
    be.check(be.take_along_dim(source, order, dim), np.sort(x, dim))
    be.check(be.take_along_dim(source, best, dim), x.max(dim, keepdims=True))
    flat = be.tensor(x.copy())
    be.check(be.take_along_dim(flat, be.argmax(flat)), x.max(keepdims=True).ravel())


@claim(
    "IDX-79",
    about="gather",
    needs="backward gather scatter index_select take take_along_dim index_checks",
    level="contract",
)
@given(call=selections("slices"), back=integers(1, 12))
def test_some_indices_count_from_the_end(be, call, back):
    """take, take_along_dim and brackets count negative places from the end. gather, scatter and
    index_select refuse them, as they do places beyond the end, which take refuses too; gather also
    refuses places of another rank, of no integer dtype, or more of them along another axis than
    there are entries, and index_select a matrix of them.
    """
    x, dim = call.x, call.dim
    leaf, last = be.leaf(x), -(back % call.size) - 1
    every = np.full(x.shape, last)
    for read in (
        lambda: be.gather(leaf, dim, every),
        lambda: be.scatter(leaf, dim, every, leaf),
        lambda: be.index_select(leaf, dim, np.array([last])),
        lambda: be.gather(leaf, dim, np.full(x.shape, call.size)),
        lambda: be.index_select(leaf, dim, np.array([call.size])),
        lambda: be.take(leaf, np.array([x.size])),
        lambda: be.take(leaf, np.array([-x.size - 1])),
    ):
        with be.raises(ErrorKind.INDEX_RANGE):
            read()
    be.check(be.take(leaf, np.array([last])), x.ravel()[[last]])
    be.check(be.take_along_dim(leaf, be.tensor(every), dim), np.take_along_axis(x, every, dim))
    be.check(leaf[[-1]], x[[-1]])
    with be.raises(ErrorKind.SHAPE):
        be.gather(leaf, dim, every[None] + call.size)
    with be.raises(ErrorKind.SHAPE):
        be.index_select(leaf, dim, be.tensor(call.index[None]))
    with be.raises(ErrorKind.DTYPE):
        be.gather(leaf, dim, be.tensor(np.zeros(x.shape)))
    for axis in (0, 1):
        longer = np.zeros((2 + axis, 3 - axis), int)
        with be.raises(ErrorKind.SHAPE):
            be.gather(be.tensor(SQUARE), axis, longer)


@claim(
    "IDX-108",
    about="gather index_select take take_along_dim",
    needs="gather index_select take take_along_dim torch",
    level="contract",
)
@given(call=selections("slices"))
def test_places_have_dtypes_of_their_own(be, call):
    """index_select and gather take places of int64 and int32, take and take_along_dim of int64
    alone; index_select takes a single place without axes for a vector of one.
    """
    x, dim = be.tensor(call.x), call.dim
    for read, dtypes in (
        (lambda at: be.index_select(x, dim, at), ("int64", "int32")),
        (lambda at: be.gather(x, dim, at.expand(x.shape)), ("int64", "int32")),
        (lambda at: be.take(x, at), ("int64",)),
        (lambda at: be.take_along_dim(x, at.expand(x.shape), dim), ("int64",)),
    ):
        want = read(be.tensor(np.zeros(1, np.int64)))
        for dtype in ("int64", "int32", "int16", "uint8", "bool", "float32"):
            places = be.from_data([0], dtype=dtype)
            if dtype in dtypes:
                be.same(read(places), want)
            else:
                with be.raises(ErrorKind.DTYPE):
                    read(places)
    at = call.size - 1
    be.check(be.index_select(x, dim, be.tensor(np.array(at))), call.x.take([at], dim))


@claim(
    "IDX-240",
    about="index_select embedding index_add getitem",
    needs="vjp index_select embedding index_add getitem from_data torch",
    level="contract",
)
@given(
    x=arrays("rows", shape=(4, 2)),
    y=arrays("more", shape=(3, 2)),
    w=arrays("weights", shape=(3, 2)),
    places=lists(integers(0, 3), min_size=3, max_size=3),
)
def test_indices_may_be_narrow(be, x, y, w, places):
    """Indices of int32 name the rows that those of int64 name: in what is taken from there, what is
    added there, and in the gradients.
    """
    narrow = be.from_data(places, dtype="int32")
    back, whole = np.zeros((4, 2)), x.copy()
    np.add.at(back, places, w)
    np.add.at(whole, places, y)
    for take in (
        lambda z: be.index_select(z, 0, narrow),
        lambda z: be.embedding(narrow, z),
        lambda z: be.getitem(z, narrow),
    ):
        value, pull = be.vjp(take, x)
        be.check(value, x[places])
        be.check_gradient(*pull(w), Total(back, np.abs(back) + np.abs(w).sum(), 3))
    added, pull = be.vjp(lambda a, b: be.index_add(a, 0, narrow, b), x, y)
    be.check(added, Total(whole, np.abs(whole) + np.abs(y).sum(), 4))
    cotangent = np.arange(8.0).reshape(4, 2)
    for gradient, true in zip(pull(cotangent), (cotangent, cotangent[places]), strict=True):
        be.check(gradient, true)


# ---- by mask -------------------------------------------------------------------------------------


@claim("IDX-56", about="masked_select", needs="vjp views where masked_select", level="contract")
@example(x=np.ones(1), y=np.array(2.0), w=np.ones(36))
@given(x=arrays(), y=fitting(), w=arrays("weights", shape=(36,)))
def test_masks_are_bools(be, x, y, w):
    """masked_select copies the entries where a mask is true to a vector, in row-major order, after
    mask and tensor have been broadcast, and passes on the gradient to them alone. Wide integers and
    floats are refused as a mask, and as the condition of where.
    """
    for source, mask in ((x, y > 0), (y, x > 0)):
        want = np.broadcast_to(source, x.shape)[np.broadcast_to(mask, x.shape)]
        part = w[: want.size]
        native, condition = be.tensor(source), be.tensor(mask)
        got, pull = be.vjp(lambda z, condition=condition: be.masked_select(z, condition), native)
        be.check(got, want)
        (total,) = origins(
            lambda n, mask=mask: np.broadcast_to(n, x.shape)[np.broadcast_to(mask, x.shape)],
            part,
            source,
        )
        be.check(pull(part)[0], total)
        assert not be.shares_memory(got, native)
    for wrong in (mask.astype(np.int64), mask.astype(np.int32), mask.astype(float)):
        with be.raises(ErrorKind.DTYPE):
            be.masked_select(native, be.tensor(wrong))
        with be.raises(ErrorKind.DTYPE):
            be.where(be.tensor(wrong), native, native)


@claim("IDX-109", about="where masked_select", needs="where masked_select torch", level="contract")
@given(x=arrays("row", shape=(3,)), y=arrays("row", shape=(3,)))
def test_bytes_are_conditions_but_no_masks(be, x, y):
    """where takes a condition of uint8 for one of bools, with a warning; masked_select refuses it,
    as it and where do all other dtypes but bool.
    """
    for dtype in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"):
        condition = be.from_data((y > 0).tolist(), dtype=dtype)
        with be.raises(ErrorKind.DTYPE):
            be.masked_select(be.tensor(x), condition)
        if dtype == "uint8":
            with always_told(be), pytest.warns(UserWarning, match="uint8 condition tensor"):
                chosen = be.where(condition, be.tensor(x), be.tensor(y))
            be.check(chosen, np.where(y > 0, x, y))
        else:
            with be.raises(ErrorKind.DTYPE):
                be.where(condition, be.tensor(x), be.tensor(y))


@claim("IDX-57", about="nonzero", needs="backward where nonzero")
@example(x=np.array([0.0, -0.0, np.nan, 2.0]))
@example(x=np.array(0.0))
@example(x=np.array(2.0))
@given(x=arrays())
def test_nonzero_lists_places(be, x):
    """nonzero lists the places of all entries that are not zero, nan among them, in row-major
    order: a row of int64 for each, without gradient. With as_tuple, as where does given only a
    condition, it gives a vector for each axis, and takes a scalar for a vector of one.
    """
    leaf = be.leaf(x)
    places = be.nonzero(leaf)
    be.same(places, np.argwhere(x))
    assert not be.requires_grad(places)
    for listed in (be.nonzero(leaf, as_tuple=True), be.where(be.tensor(x != 0))):
        for got, want in zip(listed, np.nonzero(np.atleast_1d(x)), strict=True):
            be.same(got, want)


# ---- by condition --------------------------------------------------------------------------------


@claim("IDX-60", about="where", needs="vjp where")
@example(c=np.array([1.0, 0.0]), x=np.array([1.0, 2.0]), y=np.array([3.0, 4.0]), w=np.ones(2))
@example(c=np.array([[1.0], [0.0]]), x=np.ones(3), y=np.zeros(3), w=np.arange(6.0).reshape(2, 3))
@given(c=fitting(), x=fitting(), y=arrays(), w=arrays())
def test_where_chooses_entry_by_entry(be, c, x, y, w):
    """where takes an entry from its second argument if the condition holds there, else from its
    third, all three broadcast; the cotangent of an entry goes where it came from, and a zero to the
    other.
    """
    condition = be.tensor(c > 0)
    for first, second in ((x, y), (y, x)):
        got, pull = be.vjp(lambda a, b: be.where(condition, a, b), first, second)
        be.check(got, np.where(c > 0, first, second))
        for_first, for_second = pull(w)
        be.check(for_first, Total.onto(np.where(c > 0, w, 0), first.shape))
        be.check(for_second, Total.onto(np.where(c > 0, 0, w), second.shape))


@claim("IDX-110", about="where", needs="where torch from_data", level="contract")
def test_where_takes_numbers_and_promotes(be):
    """The second and third arguments of where may be numbers or tensors of any two dtypes: the
    result has the dtype of their sum, whichever of them is chosen.
    """
    with warnings.catch_warnings(action="ignore"):
        for x, y in product(OPERANDS, repeat=2):
            first, second = (
                each.value if each.form == "number" else be.from_data(each.value, dtype=each.dtype)
                for each in (x, y)
            )
            for truth in (True, False):
                chosen = be.where(be.from_data([truth]), first, second)
                assert be.dtype_of(chosen) == dtype_of_sum(x, y), f"where of {x} and {y}"


@claim("GEN-261", needs="vjp", over=GIVEN_INT32, level="contract", widest=True)
@given(call=told_in_32_bits())
def test_indices_may_have_32_bits(be, call):
    """Indices of 32 bits name what indices of 64 bits do, for values and for gradients."""
    value, pull = be.vjp(call.on(be), *call.tensors)
    call.check(be, value)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
