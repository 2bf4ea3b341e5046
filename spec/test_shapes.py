"""Shapes: the same elements in another arrangement."""

from itertools import zip_longest

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, lists, sampled_from
from gradspec.conformance.strategies.rearrangements import origins
from gradspec.conformance.strategies.shaping import (
    CONTIGUOUS,
    axes,
    gaps,
    inferable,
    moves,
    of_another_size,
    orders,
    stretches,
    subsets,
    targets,
    uninferable,
    widths,
)

# ---- sizes ---------------------------------------------------------------------------------------


@claim("VEW-51", about="view", needs="views view")
@example(x=np.arange(16.0).reshape(4, 4), sizes=(16,))
@example(x=np.arange(6.0), sizes=(2, 3))
@given(x=arrays(layouts=CONTIGUOUS), sizes=targets())
def test_view_keeps_elements_and_their_order(be, x, sizes):
    """A view has the elements of its source, in the same row-major order."""
    be.check(be.view(be.tensor(x), sizes), x.reshape(sizes))


@claim("VEW-01", about="view", needs="backward views view", level="contract")
@example(x=np.arange(16.0).reshape(4, 4), sizes=(3, 3))
@given(x=arrays(), sizes=of_another_size())
def test_view_refuses_another_number_of_elements(be, x, sizes):
    """A view has as many elements as its source: sizes with another product are refused."""
    leaf = be.leaf(x)
    with be.raises(ErrorKind.SHAPE):
        be.view(leaf, sizes)


@claim("VEW-02", about="view", needs="views view")
@example(x=np.arange(16.0).reshape(4, 4), sizes=(-1, 8))
@example(x=np.arange(6.0).reshape(2, 3), sizes=(-1, 2))
@given(x=arrays(layouts=CONTIGUOUS), sizes=inferable())
def test_a_size_of_minus_one_is_inferred(be, x, sizes):
    """One size may be given as -1: it becomes the number of elements over the other sizes."""
    be.check(be.view(be.tensor(x), sizes), x.reshape(sizes))


@claim("VEW-52", about="view", needs="backward views view", level="contract")
@example(x=np.arange(16.0), sizes=(-1, 3))
@example(x=np.zeros((0, 4)), sizes=(-1, 0))
@given(x=arrays(layouts=CONTIGUOUS), sizes=uninferable())
def test_sizes_without_one_answer_are_refused(be, x, sizes):
    """Sizes are refused where two are -1, where one is below -1, where the others do not divide the
    number of elements, and where any size would do.
    """
    leaf = be.leaf(x)
    with be.raises(ErrorKind.SHAPE):
        be.view(leaf, sizes)


@claim("VEW-05", about="view", needs="views view")
@example(x=np.arange(6.0).reshape(2, 3), sizes=(3, 2))
@given(x=arrays("wide", layouts=CONTIGUOUS, min_dims=1), sizes=inferable("wide", min_dims=1))
def test_sizes_are_given_apart_or_together(be, x, sizes):
    """Sizes may be given one by one, as a tuple or as a list."""
    source = be.tensor(x)
    together = be.view(source, sizes)
    be.same(be.view(source, *sizes), together)
    be.same(be.view(source, list(sizes)), together)


@claim("VEW-101", about="view", needs="views view torch", level="contract")
@given(x=arrays(layouts=CONTIGUOUS), sizes=targets())
def test_a_size_is_a_tuple_of_sizes(be, x, sizes):
    """view takes the size of another tensor as it takes a tuple. Of no sizes it gives a scalar, for
    which there has to be just one element; called with nothing it is refused.
    """
    source, model = be.tensor(x), be.tensor(np.zeros(sizes))
    be.check(be.view(source, be.size(model)), x.reshape(sizes))
    if x.size == 1:
        be.check(be.view(source, ()), x.reshape(()))
    else:
        with be.raises(ErrorKind.SHAPE):
            be.view(source, ())
    with be.raises(ErrorKind.ARGUMENT):
        be.view(source)


@claim("VEW-53", about="exports", needs="torch views view")
def test_view_is_a_method_only(be):
    """PyTorch has a method view of tensors, but no function of that name."""
    assert not be.exports("view")
    assert be.exports("reshape")
    be.check(be.view(be.tensor(np.arange(4.0)), 2, 2), np.arange(4.0).reshape(2, 2))


# ---- the batch axis ------------------------------------------------------------------------------


@claim("VEW-68", about="flatten", needs="views flatten view")
@example(x=np.arange(24.0).reshape(2, 3, 2, 2))
@given(x=arrays(layouts=CONTIGUOUS, min_dims=2, min_size=1))
def test_all_but_the_batch_axis_is_flattened_in_three_ways(be, x):
    """flatten(1), view with the batch size and -1, and view with -1 and the size of one sample all
    give one row for each sample.
    """
    images, rows = be.tensor(x), x.reshape(len(x), -1)
    be.check(be.flatten(images, 1), rows)
    be.check(be.view(images, len(x), -1), rows)
    be.check(be.view(images, -1, np.prod(x.shape[1:]).item()), rows)


@claim("VEW-520", about="flatten", needs="views flatten torch", level="contract")
@example(x=np.arange(12.0).reshape(2, 3, 2), first=0, last=-2)
@given(x=arrays(min_dims=1, min_size=1), first=integers(0, 2), last=integers(-3, 2))
def test_what_is_flattened_lies_where_it_lay(be, x, first, last):
    """flatten is told the first and the last axis of those that it joins, counted from either end:
    with less than two of them it returns the tensor itself, else it copies only where no view of
    that shape exists.
    """
    first %= x.ndim
    last = min(last, x.ndim - 1) if last >= 0 else max(last, -x.ndim)
    end = last % x.ndim
    first = min(first, end)
    source = be.tensor(x)
    found = be.flatten(source, first, last)
    sizes = (*x.shape[:first], -1, *x.shape[end + 1 :])
    be.check(found, x.reshape(sizes))
    assert (found is source) is (first == end)
    assert be.shares_memory(found, source) is np.shares_memory(x.reshape(sizes), x)


@claim("VEW-69", about="view", needs="views view")
@example(x=np.arange(6400.0).reshape(25, 16, 4, 4), width=400)
@given(x=arrays(layouts=CONTIGUOUS, min_size=1), width=widths())
def test_a_constant_width_may_merge_samples(be, x, width):
    """view(-1, k) gives rows of k elements whatever the batch size was: unless k is the size of one
    sample, rows run across samples, and nothing is refused.
    """
    be.check(be.view(be.tensor(x), -1, width), x.reshape(x.size // width, width))


# ---- order of axes -------------------------------------------------------------------------------


@claim("VEW-56", about="permute", needs="views permute")
@example(x=np.arange(6.0).reshape(2, 3), dims=(1, 0))
@example(x=np.arange(24.0).reshape(2, 3, 4), dims=(1, -1, 0))
@given(x=arrays(min_dims=2), dims=orders(min_dims=2))
def test_permute_reorders_axes_without_moving_data(be, x, dims):
    """Axis i of permute(x, dims) is axis dims[i] of x, with its size and stride; dims that name an
    axis twice or not at all are refused.
    """
    source = be.tensor(x)
    permuted = be.permute(source, dims)
    be.check(permuted, x.transpose(dims))
    strides = be.strides(source)
    assert be.strides(permuted) == tuple(strides[dim] for dim in dims)
    for wrong in ((*dims[1:], dims[1]), dims[1:], (*dims, dims[0])):
        with be.raises(ErrorKind.DIMENSION):
            be.permute(source, wrong)


@claim("VEW-57", about="movedim", needs="views movedim")
@example(x=np.arange(24.0).reshape(2, 3, 4), move=(2, 0))
@example(x=np.arange(24.0).reshape(2, 3, 4), move=((0, 1), (1, 2)))
@given(x=arrays(min_dims=2, min_size=1), move=moves(min_dims=2, min_size=1))
def test_movedim_moves_and_does_not_swap(be, x, move):
    """movedim takes axes out and puts them back elsewhere, while the others keep their order: on
    axes that are not neighbours it differs from an exchange. An axis or a place named twice is
    refused.
    """
    source = be.tensor(x)
    moved = be.movedim(source, *move)
    be.check(moved, np.moveaxis(x, *move))
    assert be.shares_memory(moved, source)
    for wrong in (((0, 0), (0, 1)), ((0, 1), (1, -x.ndim + 1)), ((0, 1), (0,))):
        with be.raises(ErrorKind.DIMENSION):
            be.movedim(source, *wrong)


@claim("VEW-58", about="moveaxis", needs="views movedim moveaxis")
@example(x=np.arange(24.0).reshape(2, 3, 4), move=(2, 0))
@given(x=arrays(min_dims=1), move=moves())
def test_moveaxis_is_movedim(be, x, move):
    """moveaxis is movedim by another name."""
    source = be.tensor(x)
    moved = be.moveaxis(source, *move)
    be.same(moved, be.movedim(source, *move))
    assert be.strides(moved) == be.strides(be.movedim(source, *move))


@claim("VEW-59", about="transpose", needs="views transpose")
@example(x=np.arange(24.0).reshape(2, 3, 4), a=0, b=-1)
@given(
    x=arrays(min_dims=1, min_size=1), a=axes(min_dims=1, min_size=1), b=axes(min_dims=1, min_size=1)
)
def test_transpose_exchanges_two_axes(be, x, a, b):
    """transpose exchanges two axes, sizes and strides alike, in the same memory; twice, it is the
    identity.
    """
    source = be.tensor(x)
    turned = be.transpose(source, a, b)
    be.check(turned, x.swapaxes(a, b))
    be.same(be.transpose(turned, a, b), source)
    assert be.strides(be.transpose(turned, a, b)) == be.strides(source)
    assert be.shares_memory(turned, source)


@claim(
    "VEW-70",
    about="transpose sum prod amax logsumexp softmax cumsum",
    needs="transpose sum prod amax logsumexp softmax cumsum",
    level="contract",
)
@given(x=arrays("number", shape=()), dim=sampled_from((0, -1)))
def test_a_scalar_counts_as_having_one_axis(be, x, dim):
    """Along axis 0 or -1 of a scalar, a function computes as along that of a vector of one entry; a
    scalar comes out.
    """
    for reduce in (be.sum, be.prod, be.amax, be.logsumexp, be.cumsum):
        be.check(reduce(be.tensor(x), dim), x)
    be.check(be.softmax(be.tensor(x), dim), 1.0)
    be.check(be.transpose(be.tensor(x), dim, 0), x)


@claim("VEW-60", about="swapaxes swapdims", needs="backward graph transpose swapaxes swapdims")
@example(x=np.arange(24.0).reshape(2, 3, 4), w=np.ones((2, 3, 4)), a=0, b=-1)
@given(x=arrays(min_dims=1), w=arrays(min_dims=1), a=axes(min_dims=1), b=axes(min_dims=1))
def test_swapaxes_and_swapdims_are_transpose(be, x, w, a, b):
    """swapaxes and swapdims are transpose by other names: the same values, gradients and node."""
    node = be.node(be.transpose(be.leaf(x), a, b))
    for swap in (be.swapaxes, be.swapdims):
        leaf = be.leaf(x)
        swapped = swap(leaf, a, b)
        be.backward(be.sum(be.mul(w.swapaxes(a, b), swapped)))
        be.check(swapped, x.swapaxes(a, b))
        be.check(be.grad(leaf), w)
        assert type(be.node(swapped)) is type(node)


@claim("VEW-61", about="t", needs="views t", level="contract")
@given(x=arrays(shape=(2, 3)))
def test_t_transposes_matrices_only(be, x):
    """t exchanges the axes of a matrix, gives vectors and scalars as views of what they are, and
    refuses three axes.
    """
    for array in (x, x[0], x[0, 0]):
        source = be.tensor(array)
        be.check(be.t(source), array.T)
        assert be.t(source) is not source
        assert be.shares_memory(be.t(source), source)
    with be.raises(ErrorKind.SHAPE):
        be.t(be.tensor(x[None]))


# ---- axes of size one ----------------------------------------------------------------------------


@claim("VEW-11", about="unsqueeze", needs="unsqueeze")
@example(x=np.arange(6.0).reshape(2, 3), dim=1)
@example(x=np.arange(6.0).reshape(2, 3), dim=-3)
@given(x=arrays(), dim=gaps())
def test_unsqueeze_inserts_an_axis_of_size_one(be, x, dim):
    """The new axis stands at place dim of the result, counted from either end of the result."""
    be.check(be.unsqueeze(be.tensor(x), dim), np.expand_dims(x, dim))


@claim("VEW-260", about="expand", needs="backward expand", level="contract")
@example(x=np.arange(6.0).reshape(2, 1, 3), n=0, wrong=(1, 1, 3))
@every(
    wrong=[(1, 3), (2, 5, 4), (4, 5, 3), (1, 1, 3), (2, 5, 1), (2, 5, 0), (2, -2, 3), (-1, 2, 1, 3)]
)
@given(
    x=arrays(shape=(2, 1, 3)),
    n=integers(0, 3),
)
def test_expand_repeats_axes_of_size_one(be, x, n, wrong):
    """expand repeats an axis of size one and puts others in front, and -1 keeps a size. Refused are
    fewer axes, another size of an axis that is longer, -1 for a new axis, and sizes below -1.
    """
    leaf = be.leaf(x)
    be.check(be.expand(leaf, -1, n, -1), np.broadcast_to(x, (2, n, 3)))
    be.check(be.expand(leaf, n, 2, -1, 3), np.broadcast_to(x, (n, 2, 1, 3)))
    with be.raises(ErrorKind.SHAPE):
        be.expand(leaf, *wrong)


@claim("TEN-351", about="lookup", needs="torch", level="contract")
@example(shapes=[(2, 1), (0,)])
@example(shapes=[(0,), (2,)])
@given(shapes=lists(lists(integers(0, 2), max_size=3).map(tuple), min_size=1, max_size=3))
def test_shapes_are_broadcast_without_tensors(be, shapes):
    """broadcast_shapes gives the shape that tensors of some shapes broadcast to, where a size of 1
    becomes any other one, 0 as well; shapes that do not fit are refused.
    """
    broadcast = be.lookup("torch:broadcast_shapes")
    if any(len(set(sizes) - {1}) > 1 for sizes in zip_longest(*map(reversed, shapes), fillvalue=1)):
        with pytest.raises(RuntimeError, match="broadcast"):
            broadcast(*shapes)
    else:
        assert tuple(broadcast(*shapes)) == np.broadcast_shapes(*shapes)


@claim(
    "VEW-64",
    about="unsqueeze squeeze",
    needs="backward unsqueeze squeeze transpose",
    level="contract",
)
@example(x=np.arange(2.0), beyond=0)
@given(x=arrays(), beyond=sampled_from((0, 1, 7)))
def test_axes_and_places_beyond_the_ends_are_refused(be, x, beyond):
    """In a tensor of n axes they are numbered -n to n - 1, in a scalar as if it had one, and the
    places for a new one -n - 1 to n: squeeze, transpose and unsqueeze refuse other numbers.
    """
    leaf, n = be.leaf(x), max(1, x.ndim)
    for dim in (x.ndim + 1 + beyond, -x.ndim - 2 - beyond):
        with be.raises(ErrorKind.DIMENSION):
            be.unsqueeze(leaf, dim)
    for dim in (n + beyond, -n - 1 - beyond):
        with be.raises(ErrorKind.DIMENSION):
            be.squeeze(leaf, dim)
        with be.raises(ErrorKind.DIMENSION):
            be.transpose(leaf, 0, dim)


@claim("VEW-13", about="squeeze", needs="squeeze")
@example(x=np.arange(6.0).reshape(2, 3), dim=1)
@given(x=arrays(), dim=gaps())
def test_squeeze_removes_the_named_axis(be, x, dim):
    """squeeze(dim) removes axis dim where its size is one, and no other axis."""
    be.check(be.squeeze(be.tensor(np.expand_dims(x, dim)), dim), x)


@claim("VEW-12", about="squeeze", needs="squeeze", level="contract")
@example(x=np.ones((1, 3)), dim=0, size=2)
@given(x=arrays(), dim=gaps(), size=sampled_from((2, 0, 3)))
def test_squeeze_leaves_a_longer_axis(be, x, dim, size):
    """squeeze(dim) changes nothing where the size of axis dim is not one; nothing is refused."""
    longer = np.repeat(np.expand_dims(x, dim), size, dim)
    be.check(be.squeeze(be.tensor(longer), dim), longer)


@claim("VEW-102", about="squeeze", needs="views version_counter squeeze", level="contract")
@given(x=arrays(min_dims=1, min_size=1))
def test_squeeze_gives_another_tensor(be, x):
    """squeeze gives a view, another tensor that counts writes to the same memory, also where it
    removes nothing.
    """
    source = be.tensor(x)
    for squeezed in (be.squeeze(source), *(be.squeeze(source, dim) for dim in range(x.ndim))):
        assert squeezed is not source
        assert be.shares_memory(squeezed, source)
        assert be.version_of(squeezed) == be.version_of(source)


@claim("VEW-63", about="squeeze", needs="squeeze", level="contract")
@example(x=np.ones((1, 2, 1)), dims=(0, 2))
@example(x=np.ones((1, 1)), dims=(0,))
@given(x=arrays(), dims=subsets())
def test_squeeze_takes_all_axes_or_several(be, x, dims):
    """squeeze() removes every axis of size one; given several axes, those among them."""
    source = be.tensor(x)
    be.check(be.squeeze(source), x.squeeze())
    ones = tuple(dim for dim in dims if x.shape[dim] == 1)
    be.check(be.squeeze(source, dims), x.squeeze(ones))


@claim("VEW-14", about="squeeze unsqueeze", needs="squeeze unsqueeze")
@example(x=np.arange(6.0).reshape(2, 3), dim=-1)
@given(x=arrays(), dim=gaps())
def test_squeeze_undoes_unsqueeze(be, x, dim):
    """squeeze(dim) takes away what unsqueeze(dim) inserted, for every legal dim."""
    source = be.tensor(x)
    be.same(be.squeeze(be.unsqueeze(source, dim), dim), source)


# ---- parts ---------------------------------------------------------------------------------------


@claim("VEW-62", about="narrow", needs="views narrow")
@example(x=np.arange(6.0), stretch=(0, -2, 2))
@given(x=arrays(min_dims=1, min_size=1), stretch=stretches(min_dims=1, min_size=1))
def test_narrow_is_a_slice_that_does_not_clip(be, x, stretch):
    """narrow(x, dim, start, length) is the view of exactly that many entries from start on; a
    length that is negative or leads beyond the end, a start beyond the ends and a scalar are
    refused.
    """
    dim, start, length = stretch
    source = be.tensor(x)
    part = be.narrow(source, dim, start, length)
    be.check(part, x.take(np.arange(start, start + length), dim))
    assert be.shares_memory(part, source)
    with be.raises(ErrorKind.SHAPE):
        be.narrow(source, dim, start, x.shape[dim] + 1)
    with be.raises(ErrorKind.SHAPE):
        be.narrow(source, dim, start, -1)
    for beyond in (x.shape[dim] + 1, -x.shape[dim] - 1):
        with be.raises(ErrorKind.INDEX_RANGE):
            be.narrow(source, dim, beyond, 0)
    with be.raises(ErrorKind.DIMENSION):
        be.narrow(be.tensor(x.ravel()[0]), 0, 0, 1)


@workload
def restack(be, leaf):
    """Four rows stacked as columns, multiplied by what was there before, and the way back."""
    columns = be.stack(be.unbind(be.view(leaf, 4, -1)), 1)
    be.backward(be.sum(be.mul(columns, be.view(leaf, -1, 4))))
    return be.grad(leaf)


@claim("VEW-65", about="unbind", needs="backward views unbind stack view")
@given(
    x=arrays("cut", min_dims=1, min_size=1),
    dim=axes("cut", min_dims=1, min_size=1),
    vector=arrays(shape=(8,)),
)
def test_unbind_removes_an_axis(be, x, dim, vector):
    """unbind gives the views at each position of an axis, without that axis: none for an axis of
    size zero, while a scalar is refused. stack undoes it, and gradients take the same way back.
    """
    source = be.tensor(x)
    parts = be.unbind(source, dim)
    be.same(be.stack(parts, dim), source)
    for i, part in enumerate(parts):
        be.check(part, x.take(i, dim))
        assert be.shares_memory(part, source)
    assert len(be.unbind(be.tensor(x[..., :0]), -1)) == 0
    with be.raises(ErrorKind.DIMENSION):
        be.unbind(be.tensor(x.ravel()[0]))
    order = np.arange(8).reshape(4, 2).T.ravel()
    be.check(restack(be, be.leaf(vector)), vector[order] + vector[np.argsort(order)])


# ---- strides and where the memory begins ---------------------------------------------------------


@claim("VEW-103", about="as_strided", needs="backward views as_strided", level="contract")
@example(x=np.arange(8.0), w=np.arange(4.0), offset=1, sizes=(2, 2), steps=(1, 1), turned=True)
@example(x=np.arange(8.0), w=np.arange(4.0), offset=0, sizes=(2, 2), steps=(0, 3), turned=False)
@given(
    x=arrays("eight", shape=(8,), layouts=CONTIGUOUS),
    w=arrays("four", shape=(4,)),
    offset=sampled_from((0, 1)),
    sizes=sampled_from(((2, 2), (4, 1), (1, 4))),
    steps=sampled_from(((1, 1), (0, 1), (1, 0), (1, 2), (2, 1))),
    turned=booleans(),
)
def test_strides_may_overlap(be, x, w, offset, sizes, steps, turned):
    """as_strided reads the memory of a tensor, whatever its axes, from an offset, in steps of any
    length, none among them: a view, in which an element that is met several times receives the sum
    of the cotangents. Memory that is not there, and steps backwards, are refused.
    """
    source = be.leaf(x)
    view = be.transpose(be.reshape(source, (2, 4)), 0, 1) if turned else source
    n, m = np.ogrid[: sizes[0], : sizes[1]]
    places = np.broadcast_to(offset + n * steps[0] + m * steps[1], sizes)
    seen = be.as_strided(view, sizes, steps, offset)
    be.check(seen, x[places])
    assert be.shares_memory(seen, source)
    assert be.strides(seen) == steps
    w = w.reshape(sizes)
    be.backward(be.sum(be.mul(w, seen)))
    be.check(be.grad(source), *origins(lambda numbers: numbers[places], w, x))
    with be.raises(ErrorKind.SHAPE):
        be.as_strided(source, (9 - offset,), (1,), offset)
    with be.raises(ErrorKind.ARGUMENT):
        be.as_strided(source, (2,), (-1,), 1)


@claim("VEW-104", about="narrow", needs="views narrow as_strided torch", level="contract")
@given(x=arrays(min_dims=1, min_size=1), stretch=stretches(min_dims=1, min_size=1))
def test_a_view_begins_where_its_first_element_lies(be, x, stretch):
    """The offset of a view is that of its source and as many strides as entries it leaves out
    before its first; as_strided counts it from the beginning of the memory, not from the view.
    """
    dim, start, length = stretch
    source = be.tensor(x)
    part = be.narrow(source, dim, start, length)
    left_out = start + x.shape[dim] if start < 0 else start
    assert part.storage_offset() == source.storage_offset() + left_out * be.strides(source)[dim]
    if length:
        again = be.as_strided(source, part.shape, be.strides(part), part.storage_offset())
        be.same(again, part)
        first = be.as_strided(part, (1,), (1,), source.storage_offset())
        be.check(first, x.ravel()[:1])
