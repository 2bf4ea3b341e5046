"""Scatter: writing by index."""

from dataclasses import replace

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, sampled_from
from gradspec.conformance.strategies.arrays import DENSE
from gradspec.conformance.strategies.factories import always_told
from gradspec.conformance.strategies.indices import COMBINED, Scatter, misfits, scatters, strays

NOTE = Scatter(
    x=np.zeros((3, 5)),
    dim=0,
    index=np.array([[0, 1, 2, 0]]),
    src=np.arange(1.0, 11.0).reshape(2, 5),
)
COLUMNS = np.array([[0, 2, 0, 1]])


@claim("IDX-62", "IDX-63", "IDX-64", about="scatter", needs="scatter")
@example(call=NOTE)
@given(call=scatters("distinct", min_dims=1))
def test_scatter_writes_where_the_index_points(be, call):
    """For every position p of index, scatter writes src[p] to p with index[p] in place of p's entry
    along dim.
    """
    want = call.x.copy()
    for p, place in call.writes():
        want[place] = call.src[p]
    be.check(be.scatter(*call), want)


@claim("IDX-65", about="scatter", needs="scatter")
@example(call=NOTE)
@given(call=scatters("distinct", larger=True, min_dims=1))
def test_what_lies_beyond_the_index_is_never_read(be, call):
    """Entries of src beyond the shape of index are never read."""
    be.same(be.scatter(*call), be.scatter(*call.fitted()))


@claim("IDX-66", about="scatter", needs="scatter", level="contract")
@example(call=NOTE)
@example(call=Scatter(np.ones((2, 3)), 0, np.zeros(0, int), np.zeros((2, 3))))
@given(call=scatters())
def test_entries_not_addressed_keep_their_value(be, call):
    """Only addressed entries change, and an empty index, whatever its rank, changes none."""
    keep = 1 - call.hit
    be.check(be.mul(be.scatter(*call), keep), call.x * keep)


@claim("IDX-67", about="scatter scatter_", needs="scatter scatter_ inplace version_counter views")
@given(call=scatters("distinct", layouts=DENSE))
def test_scatter_copies_and_scatter_in_place_does_not(be, call):
    """scatter returns a new tensor and leaves its receiver alone; scatter_ writes the same values
    into its receiver, as one write, and returns it.
    """
    kept, written = be.tensor(call.x), be.tensor(call.x)
    copy = be.scatter(kept, call.dim, call.index, call.src)
    assert be.scatter_(written, call.dim, call.index, call.src) is written
    be.same(written, copy)
    be.check(kept, call.x)
    assert not be.shares_memory(copy, kept)
    assert [be.version_of(kept), be.version_of(written)] == [0, 1]


@claim("IDX-68", about="scatter", needs="scatter scatter_ inplace", level="contract")
@example(call=Scatter(np.zeros((3, 4)), 0, np.zeros((2, 2), int), np.array(2.0)))
@given(call=misfits())
def test_scatter_refuses_sizes_that_do_not_fit(be, call):
    """Receiver, index and src have one rank, and dim is one of their axes; index is nowhere larger
    than src, and larger than its receiver along dim at most. Anything else is refused before
    anything is written.
    """
    x = be.tensor(call.x.copy())
    for dim in (call.x.ndim, -call.x.ndim - 1):
        with be.raises(ErrorKind.DIMENSION):
            be.scatter_(x, dim, call.index, call.src)
    with be.raises(ErrorKind.SHAPE):
        be.scatter(*call)
    with be.raises(ErrorKind.SHAPE):
        be.scatter_(x, call.dim, call.index, call.src)
    be.check(x, call.x)


@claim("IDX-69", about="scatter", needs="scatter scatter_add index_checks")
@given(call=strays())
def test_scatter_refuses_an_index_out_of_range(be, call):
    """An index value lies between 0 and the last place along dim; any other is refused, a negative
    one too, for nothing counts from the end.
    """
    with be.raises(ErrorKind.INDEX_RANGE):
        be.scatter(*call)
    with be.raises(ErrorKind.INDEX_RANGE):
        be.scatter_add(*call)


@claim("IDX-70", about="scatter", needs="scatter", level="contract")
@given(call=scatters(min_size=1), dtype=sampled_from(("int16", "uint8", "bool", "float64")))
def test_scatter_casts_nothing_but_a_number(be, call, dtype):
    """An index holds int64 or int32, and src has the dtype of its receiver: anything else is
    refused. Only a number is cast.
    """
    whole = call.x.astype(np.int64)
    be.check(be.scatter(whole, call.dim, call.index, 2.75), np.where(call.hit, 2, whole))
    with be.raises(ErrorKind.DTYPE):
        be.scatter(call.x, call.dim, call.index.astype(dtype), call.src)
    for x, src in ((whole, call.src), (call.x, call.src.astype(np.int64))):
        with be.raises(ErrorKind.DTYPE):
            be.scatter(x, call.dim, call.index, src)


@claim("IDX-71", about="scatter", needs="scatter")
@example(call=Scatter(np.zeros((3, 4)), 1, np.array([[1], [3], [0]]), np.zeros((3, 1))), value=1.0)
@given(call=scatters(), value=sampled_from((0.0, 1.0, -0.75)))
def test_scatter_writes_a_number_everywhere(be, call, value):
    """A number given as src is written to every place addressed; so a one written to zeros at each
    label is the one-hot encoding.
    """
    want = np.where(call.hit, value, call.x)
    be.check(be.scatter(call.x, call.dim, call.index, value), want)


@claim("IDX-72", about="scatter", needs="scatter")
@example(call=Scatter(np.zeros(2), 0, np.array([1, 1, 1]), np.array([1.0, 2.0, 4.0])))
@given(call=scatters("shared", min_dims=1, min_size=1))
def test_of_several_values_for_one_place_one_is_stored(be, call):
    """Where several positions of index name one place, exactly one of their values is stored there;
    which one is unspecified.
    """
    got = be.numpy(be.scatter(*call))
    for _, place in call.writes():
        assert got[place] in [call.src[p] for p, other in call.writes() if other == place]


@pytest.mark.filterwarnings("ignore:The reduce argument")
@claim("IDX-73", about="scatter", needs="scatter scatter_add", level="contract")
@given(call=scatters(), name=sampled_from((None, "sum", "mean", "replace")))
def test_scatter_reduces_by_sum_or_product(be, call, name):
    """With reduce="add" or "multiply" every value, or the number given for all, is combined with
    what its place holds, duplicates included. No other name is known, and None is not one either.
    """
    total, product = call.x.copy(), call.x.copy()
    for p, place in call.writes():
        total[place] += call.src[p]
        product[place] *= call.src[p]
    be.check(be.scatter(*call, reduce="add"), total)
    be.check(be.scatter(*call, reduce="multiply"), product)
    number = be.scatter(call.x, call.dim, call.index, 2.0, reduce="add")
    be.same(number, be.scatter_add(call.x, call.dim, call.index, np.full(call.src.shape, 2.0)))
    with be.raises(ErrorKind.ARGUMENT):
        be.scatter(*call, reduce=name)


@claim("IDX-111", about="scatter", needs="scatter torch", level="contract")
@example(call=NOTE)
def test_reducing_by_scatter_is_deprecated(be, call):
    """scatter of a tensor with a reduction warns that this is deprecated for scatter_reduce."""
    with always_told(be), pytest.warns(UserWarning, match="reduce argument .* is deprecated"):
        be.scatter(*call, reduce="add")


@claim("IDX-112", about="scatter_reduce", needs="backward scatter_reduce", level="contract")
@example(call=NOTE, w=np.arange(15.0))
@given(call=scatters(min_dims=1, min_size=1), w=arrays("weights", shape=(15,)))
def test_scatter_reduce_combines_what_is_meant_for_a_place(be, call, w):
    """scatter_reduce writes the sum, product, mean, largest or smallest of all values meant for a
    place, and of what it held if include_self. Each has the gradient of that: a mean divides it by
    their number, ties for an extremum share it.
    """
    w = w[: call.x.size].reshape(call.x.shape)
    for name in COMBINED:
        for include in (True, False):
            # Where it is not included, what a place held is nothing like the values meant for it.
            before = call.x if include else call.x + 64
            fitted = replace(call.fitted(), x=before, index=call.index.astype(np.int64))
            want, of_x, of_src = fitted.combined(name, include_self=include)
            x, src = be.leaf(fitted.x), be.leaf(fitted.src)
            index = be.tensor(fitted.index)
            got = be.scatter_reduce(x, call.dim, index, src, name, include_self=include)
            be.check(got, want, name)
            be.backward(got, w)
            be.check(be.grad(x), w * of_x, f"gradient of {name}")
            meant = np.array([w[place] for _, place in fitted.writes()])
            be.check(be.grad(src), meant.reshape(of_src.shape) * of_src, f"gradient of {name}")
    with be.raises(ErrorKind.ARGUMENT):
        be.scatter_reduce(x, call.dim, index, src, "add")


@claim("IDX-114", about="scatter_reduce", needs="vjp scatter_reduce", level="contract")
@example(x=np.array([5.0, 1.0]), src=np.array([5.0, 2.0]))
def test_what_is_not_included_has_no_share(be, x, src):
    """If scatter_reduce does not include what a place held, that takes no share of the gradient of
    an extremum, though it be equal to it.
    """
    index = be.tensor(np.array([0, 0]))
    _, pull = be.vjp(
        lambda s: be.scatter_reduce(be.tensor(x), 0, index, s, "amax", include_self=False), src
    )
    be.check(*pull(np.array([1.0, 0.0])), np.array([1.0, 0.0]))


@claim("IDX-350", about="scatter_reduce", needs="backward scatter_reduce")
@example(x=np.array([3.0]), src=np.array([2.0, 4.0]), name="prod", include=True)
@example(x=np.array([3.0]), src=np.array([2.0, 4.0]), name="prod", include=False)
@given(
    x=arrays(shape=(1,)),
    src=arrays("longer", shape=(3,)),
    name=sampled_from(list(COMBINED)),
    include=booleans(),
)
def test_what_is_never_read_has_no_share(be, x, src, name, include):
    """Where src of scatter_reduce is larger than an index of one entry, its gradient is refused, or
    it is that of the entry that is read, and zero elsewhere.
    """
    call, leaf = Scatter(x, 0, np.zeros(1, np.int64), src), be.leaf(src)
    _, _, share = call.combined(name, include_self=include)
    index = be.tensor(call.index)
    result = be.scatter_reduce(be.tensor(x), 0, index, leaf, name, include_self=include)
    try:
        be.backward(result)
    except Exception as error:
        if be.kind_of(error) is not ErrorKind.INVALID_GRADIENT:
            raise
    else:
        be.check(be.grad(leaf), np.append(share, np.zeros(src.size - 1)))


@claim("IDX-113", about="masked_scatter", needs="vjp masked_scatter", level="contract")
@example(
    x=np.array([1.0, 2.0, 5.0]), y=np.array([1.0, 0.0, 1.0]), src=np.arange(24.0), w=np.ones(3)
)
@given(x=arrays(), y=arrays(), src=arrays("many", shape=(24,)), w=arrays())
def test_masked_scatter_fills_in_order(be, x, y, src, w):
    """masked_scatter writes the first entries of src, in row-major order, where the mask is true:
    as many as it takes, and each of them receives the cotangent of its place. On the host a source
    that is too short is refused, and anywhere a mask of anything but bools.
    """
    mask, count = y > 0, np.count_nonzero(y > 0)
    want, kept, sent = x.copy(), w.copy(), np.zeros(src.shape)
    want[mask], kept[mask], sent[:count] = src[:count], 0, w[mask]
    got, pull = be.vjp(lambda z, s: be.masked_scatter(z, be.tensor(mask), s), x, src)
    be.check(got, want)
    for gradient, true in zip(pull(w), (kept, sent), strict=True):
        be.check(gradient, true)
    # On a device that is an assertion, after which the process has lost it.
    full, mask, short = (be.tensor(x, "cpu") for x in (np.ones(3), np.ones(3, bool), np.ones(2)))
    with be.raises(ErrorKind.SHAPE):
        be.masked_scatter(full, mask, short)
    with be.raises(ErrorKind.DTYPE):
        be.masked_scatter(be.tensor(np.ones(3)), be.tensor(np.ones(3)), be.tensor(np.ones(3)))


@workload
def add_columns(be, leaf):
    """Add the columns of a matrix to its first three, by an index with a duplicate."""
    x = be.view(leaf, -1, 4)
    return be.scatter_add(x, 1, be.expand(be.tensor(COLUMNS), *x.shape), x)


@claim("IDX-74", about="scatter_add", needs="backward scatter_add scatter_add_ inplace view expand")
@given(call=scatters(), y=arrays(shape=(3, 4)))
def test_scatter_add_adds_every_value(be, call, y):
    """scatter_add adds each src[p] where scatter would write it, duplicates included, and returns a
    new tensor, scatter_add_ its receiver; a number as src is refused.
    """
    x, want = be.tensor(call.x), call.x.copy()
    written = be.mul(x, 1)
    for p, place in call.writes():
        want[place] += call.src[p]
    be.check(be.scatter_add(x, call.dim, call.index, call.src), want)
    be.check(x, call.x)
    assert be.scatter_add_(written, call.dim, call.index, call.src) is written
    be.check(written, want)
    for add in (be.scatter_add, be.scatter_add_):
        with be.raises(ErrorKind.ARGUMENT):
            add(written, call.dim, call.index, 1.0)
    be.check(add_columns(be, be.leaf(y.ravel())), y + y @ np.eye(4)[COLUMNS[0]])


@claim("IDX-75", about="backward", needs="backward scatter scatter_add")
@given(call=scatters(), w=arrays(shape=(12,)))
def test_scatter_stops_the_gradient_of_what_it_overwrites(be, call, w):
    """The receiver's gradient is the cotangent with zeros where scatter wrote, be it a number or
    src; scatter_add overwrites nothing, and passes on all of it.
    """
    w = w[: call.x.size].reshape(call.x.shape)
    for src in (call.src, 0.5):
        replaced = be.leaf(call.x)
        be.backward(be.scatter(replaced, call.dim, call.index, src), w)
        be.check(be.grad(replaced), w * (1 - call.hit))
    added = be.leaf(call.x)
    be.backward(be.scatter_add(added, call.dim, call.index, call.src), w)
    be.check(be.grad(added), w)


@pytest.mark.filterwarnings("ignore:The reduce argument")
@claim("IDX-76", about="backward", needs="backward scatter scatter_add", level="contract")
@given(call=scatters(larger=True, min_dims=1, min_size=1), w=arrays(shape=(12,)))
def test_the_gradient_of_src_is_gathered(be, call, w):
    """Every src[p] receives the cotangent of the place it was written to, even where another value
    won the place; a gradient is refused if src is larger than index or combined by reduce.
    """
    w = w[: call.x.size].reshape(call.x.shape)
    want = np.array([w[place] for _, place in call.writes()]).reshape(call.index.shape)
    for scatter in (be.scatter, be.scatter_add):
        src, larger = be.leaf(call.read), be.leaf(call.src)
        be.backward(scatter(call.x, call.dim, call.index, src), w)
        be.check(be.grad(src), want)
        with be.raises(ErrorKind.INVALID_GRADIENT):
            be.backward(scatter(call.x, call.dim, call.index, larger), w)
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        be.backward(be.scatter(call.x, call.dim, call.index, src, reduce="add"), w)


@claim(
    "IDX-77",
    about="scatter_",
    needs="backward scatter scatter_ scatter_add_ zero_ inplace version_counter",
    level="contract",
)
@given(
    call=scatters("distinct", min_dims=1, min_size=1, layouts=DENSE),
    w=arrays(shape=(12,)),
)
def test_scatter_in_place_obeys_the_laws_of_writing(be, call, w):
    """scatter_ is refused on a leaf that requires grad and on memory it also reads, makes saved
    values stale, and writes through a view; its index is a saved value itself.
    """
    x, dim, index, src = call.x, call.dim, be.tensor(call.index), call.src
    w = w[: x.size].reshape(x.shape)
    leaf = be.leaf(x)
    with be.raises(ErrorKind.LEAF_INPLACE):
        be.scatter_(leaf, dim, index, src)

    written = be.mul(leaf, 1)
    square = be.mul(written, written)
    be.scatter_(written[...], dim, index, src)
    be.same(written, be.scatter(x, dim, index, src))
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(square, w)
    be.backward(written, w)
    be.check(be.grad(leaf), w * (1 - call.hit))

    result = be.scatter(leaf, dim, index, src)
    be.zero_(index)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(result, w)
    with be.raises(ErrorKind.OVERLAPPING_WRITE):
        be.scatter_(result, dim, index, result)
    with be.raises(ErrorKind.OVERLAPPING_WRITE):
        be.scatter_add_(result, dim, index, result)
    with be.raises(ErrorKind.OVERLAPPING_WRITE):
        be.scatter_(index, dim, index, 1)


@claim("IDX-78", about="gather scatter", needs="gather scatter")
@example(x=np.array([5.0, 6.0, 7.0]), keys=np.array([2.0, 3.0, 1.0]), dim=0)
@given(x=arrays(min_dims=1), keys=arrays(min_dims=1), dim=sampled_from((0, -1)))
def test_scatter_undoes_gather_on_permutations(be, x, keys, dim):
    """Where index permutes every line along dim, scatter undoes gather and gather undoes scatter,
    whatever was written over.
    """
    order = np.argsort(keys, dim)
    be.check(be.scatter(keys, dim, order, be.gather(x, dim, order)), x)
    be.check(be.gather(be.scatter(keys, dim, order, x), dim, order), x)
