"""Indexing: what stands in brackets."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, integers, lists, one_of, sampled_from
from gradspec.conformance.strategies.factories import always_told
from gradspec.conformance.strategies.indices import (
    VALUE_FORMS,
    copying_keys,
    mixed_keys,
    parted_keys,
    taken_first,
    value_for,
)
from gradspec.conformance.strategies.rearrangements import origins
from gradspec.conformance.strategies.shaping import keys

ROWS = np.arange(12.0).reshape(3, 4)
EVERY = slice(None)

# ---- integers and slices -------------------------------------------------------------------------


@workload
def every_other(be, leaf):
    """The gradient of the sum of products of neighbours."""
    be.backward(be.sum(leaf[::2] * leaf[1::2]))
    return be.grad(leaf)


@claim("IDX-01", "IDX-51", "IDX-52", about="vjp", needs="vjp")
@example(x=ROWS, w=np.arange(12.0), key=(EVERY, 1))
@example(x=ROWS, w=np.arange(12.0), key=(0,))
@example(x=ROWS, w=np.arange(12.0), key=(slice(None, 2), -1))
@example(x=ROWS, w=np.arange(12.0), key=(-2,))
@example(x=ROWS, w=np.arange(12.0), key=(slice(1, 3),))
@example(x=ROWS, w=np.arange(12.0), key=(slice(-9, 2), slice(0, 4, 3)))
@example(x=ROWS, w=np.arange(12.0), key=(slice(1, 99), EVERY))
@example(x=ROWS, w=np.arange(1.0, 13.0), key=(slice(0, 2, 2), slice(1, None, 5)))
@given(x=arrays(min_size=1), w=arrays("weights", shape=(12,)), key=keys())
def test_a_key_means_what_it_means_in_numpy(be, x, w, key):
    """Integers, slices of positive step, None and Ellipsis select what they select in numpy: places
    count from zero, or from the end if negative, and slices leave their end out. The gradient goes
    back to the entries selected, and is zero elsewhere.
    """
    want = x[key]
    w = w[: want.size].reshape(want.shape)
    got, pull = be.vjp(lambda z: z[key], x)
    be.check(got, want)
    be.check(pull(w)[0], *origins(lambda places: places[key], w, x))


@claim("IDX-02", about="leaf", needs="backward index_checks", level="contract")
@example(x=ROWS, beyond=0)
@given(x=arrays(min_dims=2), beyond=integers(0, 7))
def test_integers_are_checked_and_slices_clipped(be, x, beyond):
    """An integer takes its axis away and is refused beyond the ends; a slice keeps its axis and is
    clipped, to nothing if need be. More items than axes are refused.
    """
    source, (n, m) = be.leaf(x), x.shape[:2]
    for i in range(-n, n):
        be.check(source[i], x[i])
    for j in range(-m, m):
        be.check(source[:, j], x[:, j])
    be.check(source[n + beyond :], x[:0])
    be.check(source[:, -m - beyond : m + beyond], x)
    for key in (n + beyond, -n - 1 - beyond, (EVERY, m + beyond), (EVERY, -m - 1 - beyond)):
        with be.raises(ErrorKind.INDEX_RANGE):
            source[key]
    with be.raises(ErrorKind.DIMENSION, ErrorKind.INDEX_RANGE):
        source[(EVERY,) * (x.ndim + 1)]


@claim("IDX-03", about="add_", needs="backward views inplace version_counter add_ mul_")
@example(x=ROWS, key=(0,), even=np.arange(8.0))
@given(
    x=arrays("written", layouts=DENSE, min_dims=1, min_size=1),
    key=keys("written", min_dims=1, min_size=1),
    even=arrays(shape=(8,)),
)
def test_plain_keys_give_views(be, x, key, even):
    """Integers, slices, None and Ellipsis give a view, also where a 0-d tensor or a number of numpy
    stands for an integer: what is written to either side shows on the other, and both count the
    writes.
    """
    source, model = be.tensor(x), x.copy()
    whole = tuple(be.tensor(np.array(k)) if isinstance(k, int) else k for k in key)
    numpys = tuple(np.int64(k) if isinstance(k, int) else k for k in key)
    for view in (source[key], source[whole], source[numpys]):
        be.add_(view, 1.0)
        model[key] += 1
        be.mul_(source, -1.0)
        model *= -1
        be.check(source, model)
        be.check(view, model[key])
        assert be.version_of(view) == be.version_of(source)
    assert be.version_of(source) == 6
    swapped = even.reshape(4, 2)[:, ::-1].ravel()
    be.check(every_other(be, be.leaf(even)), swapped)


@claim("IDX-470", about="getitem", needs="vjp getitem", level="contract")
@example(x=np.arange(5.0), w=np.arange(1.0, 37.0), key=[slice(None, None, -2)])
@example(x=np.arange(2.0), w=np.arange(1.0, 37.0), key=[slice(None, None, -2)])
@example(x=ROWS, w=np.arange(1.0, 37.0), key=[EVERY, slice(None, None, -1)])
@given(
    x=arrays(min_dims=1, min_size=1),
    w=arrays("weights", shape=(36,)),
    key=lists(
        sampled_from(
            [slice(None, None, -1), slice(None, None, -2), slice(-1, 0, -3), slice(1, None, -1)]
        )
        | sampled_from([EVERY, slice(None, 0, -1), slice(0, 5, -1)]),
        min_size=1,
        max_size=3,
    ),
)
def test_slices_may_count_backwards(be, x, w, key):
    """A slice with a negative step is refused as an argument, or it selects backwards what it
    selects in numpy, and each entry that it selects receives its gradient.
    """
    key = tuple(key[: x.ndim])
    w = np.resize(w, x[key].shape)
    try:
        got, pull = be.vjp(lambda z: be.getitem(z, key), x)
    except Exception as error:
        if be.backend.error_kind(error) is not ErrorKind.ARGUMENT:
            raise
        return
    be.check(got, x[key])
    be.check(pull(w)[0], *origins(lambda places: places[key], w, x))


# ---- lists, index arrays and masks ---------------------------------------------------------------


@claim("IDX-04", about="setitem", needs="vjp inplace add_")
@example(x=ROWS, w=np.ones(36), key=([0, 1, 2],), value=2.0)
@example(x=ROWS, w=np.ones(36), key=(True,), value=2.0)
@example(x=ROWS, w=np.ones(36), key=(np.array([0, 2, 2]),) * 2, value=2.0)
@example(x=ROWS, w=np.ones(36), key=([0, 2], [1, 3]), value=2.0)
@example(x=ROWS, w=np.arange(36.0), key=(np.array([[0], [2]]), np.array([1, 3, 1])), value=2.0)
@example(x=ROWS, w=np.arange(36.0), key=(slice(1, None), np.array([2, 0, 2])), value=2.0)
@example(x=ROWS, w=np.arange(36.0), key=(None, np.array([2, 0, 2])), value=2.0)
@example(
    x=np.arange(12.0).reshape(2, 3, 2), w=np.ones(36), key=(EVERY, [0, 1], None, [0, 1]), value=2.0
)
@example(x=np.arange(12.0).reshape(2, 3, 2), w=np.ones(36), key=([0, 1], EVERY, [0, 1]), value=2.0)
@example(
    x=np.arange(12.0).reshape(2, 3, 2),
    w=np.ones(36),
    key=(np.array([-1, 0]), EVERY, np.array([-2, 1])),
    value=2.0,
)
@given(
    x=arrays(layouts=DENSE, min_dims=1, min_size=1),
    w=arrays("weights", shape=(48,)),
    key=one_of(copying_keys(), mixed_keys()),
    value=sampled_from((0.0, 1.0, -0.75)),
)
def test_lists_arrays_and_masks_copy(be, x, w, key, value):
    """With lists, index arrays, a mask or a bool, and no integer, a key selects what it selects in
    numpy, as a copy: what is written to that leaves the source alone, while an assignment by the
    key writes the source. The gradient of an entry is the sum over all places where it was
    selected.
    """
    source, want = be.tensor(x), x[key]
    # Equal arrays are one tensor, which then stands in several places.
    held = {repr(item): be.tensor(item) for item in key if isinstance(item, np.ndarray)}
    lifted = tuple(held[repr(item)] if isinstance(item, np.ndarray) else item for item in key)
    w = np.resize(w, want.shape)
    got, pull = be.vjp(lambda z: z[lifted], x)
    be.check(got, want)
    be.check(pull(w)[0], *origins(lambda places: places[key], w, x))
    be.add_(source[lifted], 1.0)
    be.check(source, x)
    be.setitem(source, lifted, value)
    written = x.copy()
    written[key] = value
    be.check(source, written)


@claim("IDX-101", about="setitem", needs="vjp inplace torch", level="contract")
@example(x=np.arange(24.0).reshape(2, 3, 4), w=np.ones(48), key=(0, EVERY, [0, 1]))
@given(
    x=arrays(layouts=DENSE, min_dims=2, min_size=1),
    w=arrays("weights", shape=(48,)),
    key=parted_keys(),
)
def test_integers_are_taken_first(be, x, w, key):
    """Apart from an index array or a mask an integer takes its axis away before that is looked at,
    as if brackets stood twice; in numpy it is an index array too, and their common axes come first.
    So a key reads, writes, and hands its gradient back.
    """
    want = taken_first(x, key)[0][taken_first(x, key)[1]]
    lifted = tuple(be.tensor(item) if isinstance(item, np.ndarray) else item for item in key)
    w = np.resize(w, want.shape)
    got, pull = be.vjp(lambda z: z[lifted], x)
    be.check(got, want)
    numbers, rest = taken_first(np.arange(x.size).reshape(x.shape), key)
    be.check(pull(w)[0], *origins(lambda places: places.ravel()[numbers[rest]], w, x))
    # What is written depends on the place, so that the order of the axes shows, and no repetition.
    source, written = be.tensor(x), x.copy()
    be.setitem(source, lifted, be.tensor(2 * want + 1))
    view, rest = taken_first(written, key)
    view[rest] = 2 * want + 1
    be.check(source, written)


@claim("IDX-102", about="setitem", needs="backward inplace")
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=(ROWS > 4,), form=0)
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=(ROWS > 4,), form=1)
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=(Ellipsis,), form=2)
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=([0, 2], slice(1, 3)), form=2)
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=(slice(2), slice(1, 3)), form=2)
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=(EVERY, [2, 0]), form=3)
@example(x=ROWS, v=np.arange(48.0), w=ROWS + 1, key=(EVERY, np.array([2, 0])), form=0)
@given(
    x=arrays("written", min_dims=1, min_size=1),
    v=arrays("values", shape=(48,)),
    w=arrays("written", min_dims=1, min_size=1),
    key=one_of(keys("written", min_dims=1), mixed_keys("written", distinct=True)),
    form=integers(0, VALUE_FORMS - 1),
)
def test_a_tensor_is_assigned_by_a_key(be, x, v, w, key, form):
    """A tensor assigned by a key, be it of integers and slices or with an index array or a mask, is
    broadcast to the entries that the key selects. They have its gradient from then on, and the
    others that of the tensor that was written.
    """
    value = value_for(v, x[key].shape, form)
    lifted = tuple(be.tensor(item) if isinstance(item, np.ndarray) else item for item in key)
    old, new = be.leaf(x), be.leaf(value)
    written, want = be.mul(old, 1.0), x.copy()
    be.setitem(written, lifted, new)
    want[key] = value
    be.check(written, want)
    be.backward(be.sum(be.mul(w, written)))
    kept = w.copy()
    kept[key] = 0
    be.check(be.grad(old), kept)
    arrived = np.broadcast_to(w[key], np.broadcast_shapes(w[key].shape, value.shape))
    be.check(be.grad(new), Total.onto(arrived, value.shape))


@claim("IDX-115", about="setitem", needs="backward inplace", level="contract")
@given(x=arrays(shape=(3, 2), layouts=DENSE), v=arrays(shape=(1, 1, 2)), w=arrays(shape=(3, 2)))
def test_leading_axes_of_one_are_passed_over(be, x, v, w):
    """A tensor that is assigned may have more leading axes than the selection, of size one; it
    receives its gradient in its own shape.
    """
    for key in (1, slice(1, 3), [0, 2], Ellipsis):
        old, new, want = be.leaf(x), be.leaf(v), x.copy()
        written, kept = be.mul(old, 1.0), w.copy()
        be.setitem(written, key, new)
        want[key], kept[key] = v[0, 0], 0
        be.check(written, want)
        be.backward(be.sum(be.mul(w, written)))
        be.check(be.grad(old), kept)
        be.check(be.grad(new), Total.onto((w - kept)[None], (1, 1, 2)))


@claim("IDX-103", about="setitem", needs="backward inplace torch", level="contract")
@example(x=ROWS)
def test_what_is_assigned_has_to_fit(be, x):
    """Only tensors and numbers are assigned, and only of a shape that broadcasts to the selection,
    but for leading axes of one, which are passed over. By integers and slices a tensor of another
    dtype is cast; by an index array or a mask it is refused, while a number is cast.
    """
    source, whole = be.tensor(x.copy()), be.tensor(np.arange(6).reshape(2, 3))
    for wrong in ([1.0] * 4, np.ones(4), "a", None):
        with be.raises(ErrorKind.ARGUMENT):
            be.setitem(source, ..., wrong)
    for key in (EVERY, [0], be.tensor(np.array([0])), be.tensor(np.ones(3, bool))):
        for shape in ((3, 5), (2, 4), (2, 3, 4)):
            with be.raises(ErrorKind.SHAPE):
                be.setitem(source, key, be.tensor(np.ones(shape)))
    be.check(source, x)
    for key, rows in ((EVERY, 3), ([0, 2], 2), (be.tensor(np.ones(3, bool)), 3)):
        row, written = be.leaf(np.ones((1, 1, 4))), be.tensor(x.copy())
        be.setitem(written, key, row)
        be.backward(be.sum(written))
        be.check(be.grad(row), np.full((1, 1, 4), rows))
    halves = be.tensor(np.full((2, 3), 2.5))
    for key in ([0, 1], be.tensor(np.array([0, 1])), be.tensor(np.ones(2, bool))):
        with be.raises(ErrorKind.DTYPE):
            be.setitem(whole, key, halves)
        be.setitem(whole, key, 1.75)
        be.same(whole, np.ones((2, 3), int))
    be.setitem(whole, ..., halves)
    be.setitem(whole, (0, slice(1, None)), -1.5)
    be.same(whole, np.array([[2, -1, -1], [2, 2, 2]]))


@claim(
    "IDX-104", about="index_put_", needs="backward inplace index_put_ index_put", level="contract"
)
@example(
    x=np.arange(3.0), places=[0, 0, 2], v=np.array([1.0, 2.0, 4.0]), w=np.array([1.0, 3.0, 5.0])
)
@given(
    x=arrays("row", shape=(3,), layouts=DENSE),
    places=lists(integers(-3, 2), min_size=3, max_size=3),
    v=arrays("row", shape=(3,)),
    w=arrays("row", shape=(3,)),
)
def test_adding_by_a_key_adds_once_and_accumulating_each_time(be, x, places, v, w):
    """x[i] += v reads, adds and writes, so of a place that i names several times one sum is kept;
    index_put_ with accumulate adds all that is meant for it, and hands its gradient to each.
    index_put does so to a copy.
    """
    once, each = be.tensor(x), be.leaf(x)
    once[places] += 1.0
    be.check(once, Total.of(x, np.isin(np.arange(3), np.mod(places, 3)) * 1.0))
    values, index = be.leaf(v), be.tensor(np.array(places))
    written = be.mul(each, 1.0)
    assert be.index_put_(written, (index,), values, accumulate=True) is written
    meant = np.mod(places, 3) == np.arange(3)[:, None]
    be.check(written, Total.along(np.concatenate([x[:, None], meant * v], 1), 1))
    source = be.tensor(x)
    be.same(be.index_put(source, (index,), be.tensor(v), accumulate=True), written)
    be.check(source, x)
    be.backward(written, w)
    be.check(be.grad(each), w)
    be.check(be.grad(values), w[places])


@claim("IDX-05", about="leaf", needs="backward index_checks", level="contract")
@example(x=np.arange(3.0), step=-1)
@given(x=arrays(min_dims=1, min_size=2), step=integers(-3, 0))
def test_keys_that_numpy_takes_and_tensors_refuse(be, x, step):
    """Other than in numpy a slice does not run backwards: steps below one are refused. So are, as
    in numpy, a float and a tensor of floats, index arrays that do not broadcast or lead beyond the
    ends, and masks of another size than the axes they stand for, whichever axes that are.
    """
    source, n = be.leaf(x), len(x)
    with be.raises(ErrorKind.ARGUMENT):
        source[::step]
    for key in (1.0, be.tensor([0.0])):
        with be.raises(ErrorKind.ARGUMENT, ErrorKind.DTYPE):
            source[key]
    for beyond in (n, -n - 1):
        for key in ([beyond], be.tensor(np.array([0, beyond]))):
            with be.raises(ErrorKind.INDEX_RANGE):
                source[key]
    for axis in range(x.ndim):
        for size in (x.shape[axis] - 1, x.shape[axis] + 1):
            for mask in (np.ones(size, bool), np.ones((*x.shape[:axis], size), bool)):
                front = (EVERY,) * (axis + 1 - mask.ndim)
                with be.raises(ErrorKind.SHAPE, ErrorKind.INDEX_RANGE):
                    source[(*front, be.tensor(mask))]
    with be.raises(ErrorKind.SHAPE, ErrorKind.INDEX_RANGE):
        be.leaf(ROWS)[[0, 1], [0, 1, 2]]


@claim("IDX-105", about="leaf", needs="backward gradients index_checks torch", level="contract")
@example(x=ROWS)
def test_what_else_stands_for_places(be, x):
    """An array of numpy and a range are read as a list is, int32 as int64; other integers are
    refused, but for uint8, which is taken for a mask, with a warning, as a nested list is for a
    tuple. A bool without axes is a new axis of one entry or none.
    """
    source = be.leaf(x)
    for places in (np.array([2, 0]), range(2), be.tensor(np.array([2, 0], np.int32))):
        chosen = [*places] if isinstance(places, range) else [2, 0]
        be.check(source[places], x[chosen])
        be.check(source[:, places], x[:, chosen])
    be.check(source[np.array([True, False, True])], x[[0, 2]])
    for dtype in ("int8", "int16"):
        with be.raises(ErrorKind.DTYPE):
            source[be.tensor(np.array([0, 1], dtype))]
    with always_told(be):
        with pytest.warns(UserWarning, match="uint8 is now deprecated"):
            read = source[be.tensor(np.array([1, 0, 1], np.uint8))]
        be.check(read, x[[0, 2]])
        be.check(*be.gradients(be.sum(read), [source]), np.ones_like(x) * [[1], [0], [1]])
        with pytest.warns(UserWarning, match="non-tuple sequence"):
            be.check(source[[[0, 2], [1, 3]]], x[[0, 2], [1, 3]])
    for truth in (True, False):
        for key in (truth, be.tensor(np.array(truth))):
            be.check(source[key], x[np.newaxis][: int(truth)])


@claim("IDX-106", about="leaf", needs="backward index_checks", level="contract")
@example(key=[0.5])
def test_a_list_of_floats_is_no_key(be, key):
    """A list that holds a float is refused as a key, as the float is."""
    with be.raises(ErrorKind.ARGUMENT, ErrorKind.DTYPE):
        be.leaf(ROWS)[key]


@claim("IDX-107", about="leaf", needs="backward index_checks", level="contract")
@example(x=np.arange(60.0).reshape(3, 4, 5))
def test_an_ellipsis_parts_index_arrays(be, x):
    """Index arrays with an Ellipsis between them are apart, also where it stands for no axis."""
    be.check(be.leaf(x)[:, [0, 1], ..., [0, 1]], x[:, [0, 1], ..., [0, 1]])
