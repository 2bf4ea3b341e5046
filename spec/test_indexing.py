"""Indexing: what stands in brackets."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, integers, sampled_from
from gradspec.conformance.strategies.indices import copying_keys
from gradspec.conformance.strategies.moving import origins
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
@example(x=ROWS, w=np.arange(12.0), key=(slice(1, 99), EVERY))
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
    """Integers, slices, None and Ellipsis give a view, also where a 0-d tensor stands for an
    integer: what is written to either side shows on the other, and both count the writes.
    """
    source, model = be.tensor(x), x.copy()
    whole = tuple(be.tensor(np.array(k)) if isinstance(k, int) else k for k in key)
    for view in (source[key], source[whole]):
        be.add_(view, 1.0)
        model[key] += 1
        be.mul_(source, -1.0)
        model *= -1
        be.check(source, model)
        be.check(view, model[key])
        assert be.version_of(view) == be.version_of(source)
    assert be.version_of(source) == 4
    swapped = even.reshape(4, 2)[:, ::-1].ravel()
    be.check(every_other(be, be.leaf(even)), swapped)


# ---- lists, index arrays and masks ---------------------------------------------------------------


@claim("IDX-04", about="setitem", needs="vjp inplace add_")
@example(x=ROWS, w=np.ones(36), key=([0, 1, 2],), value=2.0)
@example(x=ROWS, w=np.ones(36), key=(True,), value=2.0)
@given(
    x=arrays(layouts=DENSE, min_dims=1, min_size=1),
    w=arrays("weights", shape=(48,)),
    key=copying_keys(),
    value=sampled_from((0.0, 1.0, -0.75)),
)
def test_lists_arrays_and_masks_copy(be, x, w, key, value):
    """With a list, an index array, a mask or a bool a key selects what it selects in numpy, as a
    copy: what is written to that leaves the source alone, while an assignment by the key writes the
    source. The gradient of an entry is the sum over all places where it was selected.
    """
    source, want = be.tensor(x), x[key]
    lifted = tuple(be.tensor(item) if isinstance(item, np.ndarray) else item for item in key)
    w = w[: want.size].reshape(want.shape)
    got, pull = be.vjp(lambda z: z[lifted], x)
    be.check(got, want)
    be.check(pull(w)[0], *origins(lambda places: places[key], w, x))
    be.add_(source[lifted], 1.0)
    be.check(source, x)
    be.setitem(source, lifted, value)
    written = x.copy()
    written[key] = value
    be.check(source, written)


@claim("IDX-05", about="leaf", needs="backward index_checks", level="contract")
@example(x=np.arange(3.0), step=-1)
@given(x=arrays(min_dims=1, min_size=2), step=integers(-3, 0))
def test_keys_that_numpy_takes_and_tensors_refuse(be, x, step):
    """Other than in numpy a slice does not run backwards: steps below one are refused. So are, as
    in numpy, numbers that are no integers and masks of another size than the axes they stand for.
    """
    source, n = be.leaf(x), len(x)
    with be.raises(ErrorKind.ARGUMENT):
        source[::step]
    for key in (1.0, be.tensor([0.0])):
        with be.raises(ErrorKind.ARGUMENT, ErrorKind.DTYPE):
            source[key]
    for size in (n - 1, n + 1):
        with be.raises(ErrorKind.SHAPE, ErrorKind.INDEX_RANGE):
            source[be.tensor(np.ones(size, bool))]
