"""More ways to rearrange entries: forms by options, and rarer ones."""

from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from .arguments import FILLED_VECTORS, MATRICES, Arguments, along, one
from .drawing import Array, Draw, Shape
from .shaping import cut, expand, off, part, shape_of, to_sizes

WIDE: tuple[Shape, ...] = ((2, 3), (3, 2), (2, 2, 3), (2, 1, 3))


def by_sizes(d: Draw) -> Arguments:
    """Draw a tensor, the sizes of its two or three pieces, and an axis."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    first = d.byte() % (shape[axis] + 1)
    rest = shape[axis] - first
    sizes = (first, *d.pick((rest // 2, rest - rest // 2), (rest,)))
    return Arguments((d.array(shape),), (sizes, axis))


def pieces_of(x: Array, sizes: Shape, dim: int) -> list[Array]:
    """Cut into pieces of given sizes."""
    return np.split(x, np.cumsum(sizes)[:-1], axis=dim)


def before(d: Draw) -> Arguments:
    """Draw a tensor, places before which it is cut, and an axis."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    places = sorted(d.byte() % (shape[axis] + 1) for _ in range(d.pick(1, 2)))
    return Arguments((d.array(shape),), (tuple(places), axis))


def rolled(d: Draw) -> Arguments:
    """Draw a tensor, and distances along several axes, or one through all of them."""
    shape = d.shape(*MATRICES)
    how = d.pick(((1, -2), (0, -1)), (2,), ((1, 1), (0, 0)))
    return Arguments((d.array(shape),), how)


def roll(x: Array, shifts: Any, dims: Any = None) -> Array:
    """Move entries round the ends."""
    return np.roll(x, shifts, axis=dims)


def turned(d: Draw) -> Arguments:
    """Draw a matrix or more, how often it is turned, and in which plane."""
    shape = d.shape(*WIDE)
    return Arguments((d.array(shape),), (d.pick(1, 2, 3, -1, 0), d.pick((0, 1), (1, 0), (-2, -1))))


def diagonals(d: Draw) -> Arguments:
    """Draw a tensor, the number of a diagonal, and two axes."""
    shape = d.shape(*WIDE)
    return Arguments((d.array(shape),), (d.pick(0, 1, -1), *d.pick((0, -1), (-1, 0), (1, 0))))


def embedded(d: Draw) -> Arguments:
    """Draw diagonals, which one they are, and the axes of the matrices."""
    shape = d.shape((3,), (2, 3), (1,), (2, 2), many=40)
    return Arguments((d.array(shape),), (d.pick(0, 1, -1), *d.pick((-2, -1), (0, -1), (-1, -2))))


def diag_embed(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    """Make matrices with these diagonals."""
    size = x.shape[-1] + abs(offset)
    made = np.zeros_like(x, shape=(*x.shape[:-1], size, size))
    n = np.arange(x.shape[-1])
    made[..., n + max(0, -offset), n + max(0, offset)] = x
    return np.moveaxis(made, (-2, -1), (dim1, dim2))


def flat_diagonal(x: Array, offset: int) -> Array:
    """Make a matrix with these entries on a diagonal."""
    return diag_embed(x.reshape(-1), offset, -2, -1)


def overlapping(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and the size and step of windows."""
    shape = d.shape((4,), (2, 3), (3, 2), (2, 1, 3))
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (axis, 1 + d.byte() % shape[axis], d.pick(1, 2)))


def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    """Take windows along an axis, whose entries go last."""
    dim %= x.ndim
    starts = np.arange((x.shape[dim] - size) // step + 1) * step
    taken = np.take(x, starts[:, None] + np.arange(size), axis=dim)
    return np.moveaxis(taken, dim + 1, -1)


def last_exchanged(x: Array) -> Array:
    """Exchange the last two axes."""
    return x.swapaxes(-2, -1)


STRIDED = (
    ((2, 2), (1, 2), 0),
    ((3,), (2,), 1),
    ((2, 2), (1, 1), 0),
    ((2, 3), (0, 1), 2),
    ((), (), 3),
)


def by_strides(d: Draw) -> Arguments:
    """Draw a tensor in memory of its own, and sizes, strides and an offset within it.

    The offset counts from the beginning of the memory, wherever the tensor itself begins.
    """
    x = d.array(d.shape((6,), (2, 3), (3, 2))).copy()
    return Arguments((x,), d.pick(*STRIDED))


def reached(sizes: Shape, strides: Shape, offset: int) -> Array:
    """The place in memory of every entry."""
    grids = np.ogrid[tuple(map(slice, sizes))] if sizes else []
    at: Any = offset + sum(g * s for g, s in zip(grids, strides, strict=True))
    return np.broadcast_to(np.asarray(at), sizes)


def as_strided(x: Array, sizes: Shape, strides: Shape, offset: int) -> Array:
    """Look at memory in another way."""
    return x.reshape(-1)[reached(sizes, strides, offset)]


def squeezed(d: Draw) -> Arguments:
    """Draw a tensor, and several axes of which some have size 1."""
    shape = d.shape((2, 1, 3, 1), (1, 1, 2), (1, 3), (3, 1, 2))
    return Arguments((d.array(shape),), (d.pick((0, 1), (-1, 0), (1,)),))


def squeeze(x: Array, dims: Shape) -> Array:
    """Drop those of some axes that have size 1."""
    return np.squeeze(x, tuple(a for a in dims if x.shape[a] == 1))


def counted(d: Draw) -> Arguments:
    """Draw a tensor, how often each slice is repeated, and an axis."""
    shape = d.shape((3,), (2, 3), (3, 2), (1, 4))
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (d.indices((shape[axis],), 4), axis))


def lists(d: Draw) -> Arguments:
    """Draw vectors."""
    shapes = d.shapes(((3,), (2,)), ((2,), (1,), (2,)), ((1,), (3,)), ((2,),), many=40)
    return Arguments(tuple(d.array(shape) for shape in shapes))


def with_indexing(d: Draw) -> Arguments:
    """Draw vectors, and which of them goes down."""
    return Arguments(lists(d).tensors, (), {"indexing": d.pick("ij", "xy")})


def meshgrid(*x: Array, indexing: str) -> list[Array]:
    """Repeat each vector along the axes of the others."""
    order = [1, 0, *range(2, len(x))] if indexing == "xy" and len(x) > 1 else [*range(len(x))]
    sizes = tuple(x[n].shape[0] for n in order)
    made = []
    for n, each in enumerate(x):
        axis = order.index(n)
        column = each.reshape(tuple(-1 if a == axis else 1 for a in range(len(x))))
        made.append(np.broadcast_to(column, sizes))
    return made


def grid(*x: Array) -> Array:
    """Every choice of one entry from each vector, as rows."""
    columns = [each.reshape(-1) for each in meshgrid(*x, indexing="ij")]
    return np.stack(columns, -1) if len(x) > 1 else columns[0]


def chosen(d: Draw) -> Arguments:
    """Draw a vector, how many of its entries are chosen, and whether one may be chosen again."""
    return Arguments(
        (d.array(d.shape((3,), (4,), (2,), many=8)),), (d.pick(2, 1, 3), d.pick(False, True))
    )


def choices(x: Array, r: int, again: bool) -> Array:  # noqa: FBT001
    """All choices of entries, in order."""
    every = combinations_with_replacement if again else combinations
    places = np.array([*every(range(x.shape[0]), r)], int).reshape(-1, r)
    result: Array = x[places]
    return result


def broadcast(*x: Array) -> list[Array]:
    """Repeat each tensor to the shape of all."""
    shape = np.broadcast_shapes(*(each.shape for each in x))
    return [np.broadcast_to(each, shape) for each in x]


def like(d: Draw) -> Arguments:
    """Draw a tensor, and one of as many entries that gives its shape."""
    arguments = to_sizes(d)
    x = np.ascontiguousarray(arguments.tensors[0]).reshape(arguments.tensors[0].shape)
    return Arguments((x,), (np.zeros(arguments.options[0]),))


def larger(d: Draw) -> Arguments:
    """Draw a tensor, and a larger one that gives its shape."""
    shape, wanted = d.pick(((1,), (3,)), ((3, 1), (3, 2)), ((3,), (2, 3)), ((), (2,)))
    return Arguments((d.array(shape),), (np.zeros(wanted),))


def summed(d: Draw) -> Arguments:
    """Draw a tensor, and a shape that broadcasts to its own."""
    shape, wanted = d.pick(((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), ()), ((2, 2, 3), (1, 3)),
                           ((2, 3), (2, 3)))  # fmt: skip
    return Arguments((d.array(shape),), (wanted,))


def sum_to(x: Array, sizes: Shape) -> Array:
    """Add up what broadcasting from these sizes would repeat."""
    padded = (1,) * (x.ndim - len(sizes)) + sizes
    axes = tuple(a for a, n in enumerate(padded) if n == 1 and x.shape[a] != 1)
    return (x.sum(axes, keepdims=True) if axes else x).reshape(sizes)


def at_least(rank: int) -> Any:
    """Give a tensor more axes, as numpy does."""
    orders = {1: lambda n: (0,) * (1 - n), 2: lambda n: (0,) * (2 - n)}

    def forward(x: Array) -> Array:
        if rank == 3 and x.ndim < 3:
            return x.reshape({0: (1, 1, 1), 1: (1, -1, 1), 2: (*x.shape, 1)}[x.ndim])
        missing = len(orders[rank](x.ndim)) if rank < 3 and x.ndim < rank else 0
        return x.reshape((*(1,) * missing, *x.shape))

    return forward


REARRANGING = (
    shape_of("split_sizes", pieces_of, by_sizes, "always"),
    shape_of("tensor_split_places", lambda x, places, dim: np.split(x, places, axis=dim), before,
             "always"),
    shape_of("roll_several", roll, rolled, "never"),
    shape_of("rot90", np.rot90, turned, "never"),
    shape_of("diagonal_axes", np.diagonal, diagonals,
             "always"),
    shape_of("diag_embed", diag_embed, embedded, "never"),
    shape_of("diagflat", flat_diagonal, off((3,), (2, 2), (), (1, 3), many=20), "never"),
    shape_of("unfold_axis", unfold, overlapping, "always"),
    shape_of("as_strided", as_strided, by_strides, "always"),
    shape_of("squeeze_several", squeeze, squeezed, "always"),
    shape_of("repeat_interleave_counts", lambda x, n, dim: np.repeat(x, n, axis=dim), counted,
             "never"),
    shape_of("narrow_copy", cut, part, "never"),
    shape_of("reshape_as", lambda x, y: x.reshape(y.shape), like, "maybe"),
    shape_of("view_as", lambda x, y: x.reshape(y.shape), like, "always"),
    shape_of("expand_as", lambda x, y: expand(x, *y.shape), larger, "always"),
    shape_of("sum_to_size", sum_to, summed, "maybe"),
    shape_of("mT", last_exchanged, one(shapes=MATRICES), "always"),
    shape_of("adjoint", last_exchanged, one(shapes=MATRICES), "always"),
    shape_of("atleast_1d", at_least(1), one(), "maybe"),
    shape_of("atleast_2d", at_least(2), one(), "maybe"),
    shape_of("atleast_3d", at_least(3), one(), "maybe"),
    shape_of("unsafe_split", lambda x, n, dim: np.split(x, range(n, x.shape[dim], n), axis=dim),
             lambda d: Arguments((x := d.array(d.shape(*FILLED_VECTORS)),),
                                 (d.pick(2, 1, 3), d.axis(x.shape))), "maybe"),
    shape_of("fftshift", lambda x, dim: np.roll(x, x.shape[dim] // 2, dim),
             along(shapes=FILLED_VECTORS), "never"),
    shape_of("ifftshift", lambda x, dim: np.roll(x, -(x.shape[dim] // 2), dim),
             along(shapes=FILLED_VECTORS), "never"),
    shape_of("combinations", choices, chosen, "never"),
    shape_of("meshgrid", meshgrid, with_indexing, "maybe"),
    shape_of("cartesian_prod", grid, lists, "maybe"),
    shape_of("broadcast_tensors", broadcast, lambda d: Arguments(
        tuple(map(d.array, d.shapes()))), "each"),
)  # fmt: skip
"""What only moves entries, or adds up some of them."""
