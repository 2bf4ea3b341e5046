"""Joining: several tensors become one."""

from functools import partial

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.rearrangements import Pieces, pieces

# ---- along an axis that is there -----------------------------------------------------------------


@workload
def reordered(be, leaf):
    """The halves of a tensor joined in the other order, twice over."""
    parts = be.split(leaf, leaf.shape[0] // 2)
    return be.cat([*parts[::-1], *parts])


@claim("OPS-60", about="cat", needs="vjp cat split")
@example(parts=Pieces((np.ones((2, 3)), np.zeros((1, 3))), 0, np.arange(9.0)), x=np.arange(4.0))
@given(parts=pieces(), x=arrays(shape=(4,)))
def test_cat_joins_along_an_axis(be, parts, x):
    """cat puts tensors one after the other along an axis that they have, and gives each of them its
    part of the gradient.
    """
    want, w, gradients = parts.joined(partial(np.concatenate, axis=parts.dim))
    got, pull = be.vjp(lambda *tensors: be.cat(tensors, parts.dim), *parts.arrays)
    be.check(got, want)
    for gradient, part in zip(pull(w), gradients, strict=True):
        be.check(gradient, part)
    be.check(reordered(be, be.tensor(x)), x[[2, 3, 0, 1, 0, 1, 2, 3]])


@claim(
    "OPS-61",
    about="concat concatenate",
    needs="gradients torch cat concat concatenate",
    level="contract",
)
@given(parts=pieces(), x=arrays(shape=(2, 3)), w=arrays("joined", shape=(2, 2, 3)))
def test_concat_and_concatenate_are_cat(be, parts, x, w):
    """concat and concatenate are cat by other names: the same axis if none is given, the same node,
    the dtype of a sum, always a copy. Empty vectors are passed over along every axis, and have
    empty gradients; no tensors, scalars and sizes that differ elsewhere are refused.
    """
    nothing = be.leaf(np.zeros(0))
    leaf, empty, whole = be.leaf(x), be.tensor(np.zeros(0)), x.astype(np.int64)
    for join in (be.cat, be.concat, be.concatenate):
        joined = join([*map(be.tensor, parts.arrays)], parts.dim)
        be.check(joined, np.concatenate(parts.arrays, parts.dim))
        be.check(join([leaf, empty, be.tensor(whole)]), np.concatenate([x, whole]))
        for dim in (0, 1, -1):
            twice = join([nothing, leaf, nothing, leaf], dim)
            be.check(twice, np.concatenate([x, x], dim))
            found = be.gradients(twice, [nothing, leaf], np.concatenate(w, dim))
            be.check(found[0], np.zeros(0))
            be.check(found[1], w.sum(0))
        only = join([leaf])
        assert not be.shares_memory(only, leaf)
        assert type(be.node(only)) is type(be.node(be.cat([leaf])))
        for wrong in ([], [leaf[0, 0]], [leaf, leaf[0]], [leaf, leaf[:, :2]]):
            with be.raises(ErrorKind.SHAPE):
                join(wrong)


# ---- along an axis by its number -----------------------------------------------------------------


@claim("OPS-69", about="hstack column_stack", needs="vjp hstack column_stack")
@example(parts=Pieces((np.arange(3.0), np.arange(3.0)), 0, np.arange(6.0)), x=np.ones((2, 3)))
@given(parts=pieces(axis=1, min_dims=0), x=arrays(shape=(2, 3)))
def test_hstack_and_column_stack_differ_on_vectors(be, parts, x):
    """Both join along the second axis, but hstack puts vectors and scalars end to end where
    column_stack makes a column of each, which alone lets it join a vector to a matrix.
    """
    for join, in_numpy in ((be.hstack, np.hstack), (be.column_stack, np.column_stack)):
        want, w, gradients = parts.joined(in_numpy)
        got, pull = be.vjp(lambda *tensors, join=join: join(tensors), *parts.arrays)
        be.check(got, want)
        for gradient, part in zip(pull(w), gradients, strict=True):
            be.check(gradient, part)
    matrix, column = be.tensor(x), be.tensor(x[:, 0])
    be.check(be.column_stack([column, matrix]), x[:, [0, 0, 1, 2]])
    with be.raises(ErrorKind.SHAPE):
        be.hstack([column, matrix])


@claim("OPS-71", about="vstack row_stack", needs="vjp vstack row_stack")
@example(parts=Pieces((np.arange(3.0), np.arange(3.0)), 0, np.arange(6.0)), x=np.ones((2, 3)))
@example(parts=Pieces((np.array(1.0), np.array(2.0)), 0, np.arange(2.0)), x=np.ones((2, 3)))
@given(parts=pieces(axis=0, min_dims=0, ragged=2), x=arrays(shape=(2, 3)))
def test_vstack_joins_rows(be, parts, x):
    """vstack, or row_stack, joins along the first axis, where a vector is a row, also below a
    matrix, and a scalar a row of one.
    """
    want, w, gradients = parts.joined(np.vstack)
    for join in (be.vstack, be.row_stack):
        got, pull = be.vjp(lambda *tensors, join=join: join(tensors), *parts.arrays)
        be.check(got, want)
        for gradient, part in zip(pull(w), gradients, strict=True):
            be.check(gradient, part)
        be.check(join([be.tensor(x), be.tensor(x[0])]), x[[0, 1, 0]])


@claim("OPS-70", about="dstack", needs="vjp dstack")
@example(parts=Pieces((np.arange(3.0), np.arange(3.0)), 2, np.arange(6.0)))
@example(parts=Pieces((np.ones((2, 3, 1)), np.ones((2, 3, 4))), 2, np.arange(30.0)))
@given(parts=pieces(axis=2, min_dims=0))
def test_dstack_joins_along_the_third_axis(be, parts):
    """dstack joins along the third axis: a matrix is a layer of one entry in depth, a vector the
    only row of such a layer, a scalar the only entry of that.
    """
    want, w, gradients = parts.joined(np.dstack)
    got, pull = be.vjp(lambda *tensors: be.dstack(tensors), *parts.arrays)
    be.check(got, want)
    for gradient, part in zip(pull(w), gradients, strict=True):
        be.check(gradient, part)


# ---- along a new axis ----------------------------------------------------------------------------


@claim("OPS-72", about="stack", needs="vjp stack unbind")
@example(parts=Pieces((np.arange(3.0), np.arange(3.0)), 0, np.arange(6.0)), place=-1)
@given(parts=pieces(axis=3, min_dims=0), place=integers(-4, 3))
def test_stack_adds_an_axis(be, parts, place):
    """stack inserts an axis as long as the list, at any place of the result counted from either
    end; unbind undoes it. Shapes that differ, no tensors and places beyond the ends are refused.
    """
    first, rank = parts.arrays[0], parts.arrays[0].ndim
    dim = max(-rank - 1, min(place, rank))
    want, w, gradients = parts.joined(partial(np.stack, axis=dim))
    got, pull = be.vjp(lambda *tensors: be.stack(tensors, dim), *parts.arrays)
    be.check(got, want)
    for gradient, part in zip(pull(w), gradients, strict=True):
        be.check(gradient, part)
    for slice_, array in zip(be.unbind(got, dim), parts.arrays, strict=True):
        be.check(slice_, array)
    one = be.tensor(first)
    for wrong in ([], [one, be.tensor(first[None])]):
        with be.raises(ErrorKind.SHAPE):
            be.stack(wrong, dim)
    for beyond in (rank + 1, -rank - 2):
        with be.raises(ErrorKind.DIMENSION):
            be.stack([one], beyond)


@claim("OPS-121", about="cat", needs="backward cat cast", level="contract")
@given(
    x=arrays(shape=(2, 3)),
    w=arrays(shape=(4, 3)),
    other=sampled_from(("float32", "float64")),
    first=booleans(),
)
def test_what_is_joined_is_promoted(be, x, w, other, first):
    """cat of tensors of two dtypes has the dtype that holds both, whichever stands first, and each
    receives its gradient in its own.
    """
    leaf = be.leaf(x)
    cast = be.cast(leaf, other)
    joined = be.cat([leaf, cast] if first else [cast, leaf])
    assert be.dtype_of(joined) == np.result_type(be.dtype, other)
    be.backward(joined, w)
    be.check(be.grad(leaf), Total.of(w[:2], w[2:]))
