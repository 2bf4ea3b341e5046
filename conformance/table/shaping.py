"""The same entries, or some of them, in another arrangement."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..strategies.shaping import same_size
from .arguments import FILLED_VECTORS, MATRICES, VECTORS, Arguments, Drawing, along, one
from .drawing import MANY, SHAPES, Array, Draw, Shape
from .operation import Operation

WIDE = tuple(shape for shape in (*MATRICES, (4, 2), (2, 2, 4)))


def to_sizes(d: Draw) -> Arguments:
    """Draw a tensor and sizes for as many entries."""
    shape = d.shape()
    return Arguments((d.array(shape),), (d.pick(*same_size(prod(shape))),))


def to_sizes_in_place(d: Draw) -> Arguments:
    """Draw a tensor in one piece, and sizes one by one for as many entries."""
    shape = d.shape()
    x = np.ascontiguousarray(d.array(shape)).reshape(shape)
    return Arguments((x,), d.pick(*same_size(prod(shape))) or (1,))


def ordered(d: Draw) -> Arguments:
    """Draw a tensor and an order of its axes, each counted from either end."""
    shape = d.shape(*SHAPES, (2, 2, 2))
    return Arguments((d.array(shape),), (d.either(d.order(shape), len(shape)),))


def two_axes(d: Draw) -> Arguments:
    """Draw a tensor and two of its axes."""
    shape = d.shape(*VECTORS)
    return Arguments((d.array(shape),), (d.axis(shape), d.axis(shape)))


def moved_axes(d: Draw) -> Arguments:
    """Draw a tensor, an axis and where it goes, or two of each."""
    shape = d.shape(*VECTORS)
    order, other = d.order(shape), d.order(shape)
    several = len(shape) > 1 and d.byte() & 1
    pairs = d.either(order[:2], len(shape)), d.either(other[:2], len(shape))
    return Arguments((d.array(shape),), pairs if several else (d.axis(shape), d.axis(shape)))


def flattened(d: Draw) -> Arguments:
    """Draw a tensor and the range of axes that become one."""
    shape = d.shape(*VECTORS)
    first, last = sorted(d.axis(shape) % max(1, len(shape)) for _ in range(2))
    return Arguments((d.array(shape),), (first, last))


def flatten(x: Array, first: int, last: int) -> Array:
    """Make one axis of a range of axes."""
    sizes = x.shape or (1,)
    merged = prod(sizes[first : last + 1])
    return x.reshape((*sizes[:first], merged, *sizes[last + 1 :]))


def squeezed(d: Draw) -> Arguments:
    """Draw a tensor, and in some draws an axis of size 1."""
    shape = d.shape((1,), (3, 1), (2, 1, 3), (1, 4), (2, 3), (), (1, 1, 2))
    ones = [axis - side for axis, n in enumerate(shape) if n == 1 for side in (0, len(shape))]
    return Arguments((d.array(shape),), d.pick((), (d.pick(*ones),)) if ones else ())


def gap(d: Draw) -> Arguments:
    """Draw a tensor and a place for a new axis."""
    shape = d.shape()
    places = len(shape) + 1
    return Arguments((d.array(shape),), (d.pick(*range(places), *range(-places, 0)),))


GROWN: tuple[tuple[Shape, Shape], ...] = (
    ((1,), (3,)), ((3, 1), (3, 2)), ((3,), (2, 3)), ((), (2,)), ((2, 1, 3), (2, 4, 3)),
    ((1, 3), (0, 3)), ((2, 3), (2, 3)), ((1, 1), (2, 3)),
)  # fmt: skip


def grown(d: Draw) -> tuple[Array, Shape]:
    """Draw a tensor and a shape that it broadcasts to."""
    shape, wanted = d.shapes(*GROWN)
    return d.array(shape), wanted


def part(d: Draw) -> Arguments:
    """Draw a tensor, an axis, a start and a length."""
    shape = d.shape(*VECTORS)
    axis = d.axis(shape)
    start = d.byte() % (shape[axis] + 1)
    length = shape[axis] - start - d.byte() % (shape[axis] - start + 1)
    return Arguments((d.array(shape),), (axis, start, length))


def cut(x: Array, dim: int, start: int, length: int) -> Array:
    """Keep a stretch of an axis."""
    return np.take(x, range(start, start + length), axis=dim)


def place(d: Draw) -> Arguments:
    """Draw a tensor, an axis and an index on it."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (axis, d.byte() % (2 * shape[axis]) - shape[axis]))


def pieces(d: Draw) -> Arguments:
    """Draw a tensor, a number and an axis."""
    shape = d.shape(*FILLED_VECTORS)
    return Arguments((d.array(shape),), (d.pick(2, 1, 3), d.axis(shape)))


def chunks(x: Array, count: int, dim: int) -> list[Array]:
    """Cut into pieces of the size that makes at most `count` of them."""
    return by_size(x, -(-x.shape[dim] // count), dim)


def by_size(x: Array, size: int, dim: int) -> list[Array]:
    """Cut into pieces of a size, the last perhaps smaller."""
    return np.split(x, range(size, x.shape[dim], size), axis=dim)


def evenly(*shapes: Shape) -> Drawing:
    """Draw a tensor that is cut into two, before its second place, or not at all."""
    return lambda d: Arguments((d.array(d.shape(*shapes)),), (d.pick(2, [1], 1),))


def split_along(axis: int) -> Callable[..., list[Array]]:
    """Cut into equal pieces, or before places."""
    return lambda x, how: np.split(x, how, axis=axis if x.ndim > 1 else 0)


def all_axes(d: Draw) -> Arguments:
    """Draw a tensor and some of its axes."""
    shape = d.shape()
    return Arguments((d.array(shape),), (d.axes(shape),))


def rolled(d: Draw) -> Arguments:
    """Draw a tensor, a distance and an axis."""
    shape = d.shape(*VECTORS)
    return Arguments((d.array(shape),), (d.pick(1, -1, 2, 5), d.axis(shape)))


def off(*shapes: Shape, many: int = MANY) -> Drawing:
    """Draw a tensor and the number of a diagonal."""
    return lambda d: Arguments((d.array(d.shape(*shapes, many=many)),), (d.pick(0, 1, -1),))


def copied(d: Draw) -> Arguments:
    """Draw a tensor and how often it is repeated along each axis."""
    shape = d.shape((3,), (2, 3), (1,), (2, 1), (0,))
    return Arguments((d.array(shape),), (d.pick((2,), (1, 3), (2, 1, 2)),))


def copied_in_full(d: Draw) -> Arguments:
    """Draw a tensor and a number of copies along every axis, and perhaps along a new one."""
    shape = d.shape((3,), (2, 3), (1,), (2, 1), ())
    more = d.pick((), (2,))
    return Arguments((d.array(shape),), (*more, *(d.pick(2, 1, 3, 2, 0) for _ in shape)) or (2,))


def stretched(d: Draw) -> Arguments:
    """Draw a tensor, a number of repetitions and an axis."""
    shape = d.shape(*VECTORS)
    return Arguments((d.array(shape),), (d.pick(2, 1, 3, 2, 0), d.axis(shape)))


def padded(d: Draw) -> Arguments:
    """Draw a matrix or more, and how many zeros go before and after along the last two axes."""
    shape = d.shape(*MATRICES)
    return Arguments((d.array(shape),), (d.pick((1, 0, 0, 2), (1, 1), (0, 2, 1, 0)),))


def pad(x: Array, sizes: tuple[int, ...]) -> Array:
    """Put zeros before and after, the last axis first."""
    pairs = [(sizes[n], sizes[n + 1]) for n in range(0, len(sizes), 2)]
    return np.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1])


def split_axis(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and sizes that it is cut into."""
    shape = d.shape((4,), (2, 4), (4, 3), (3,), many=0)
    axis = d.axis(shape)
    sizes = {4: d.pick((2, 2), (4, 1), (1, 4), (2, -1)), 3: (3, 1), 2: (1, -1)}[shape[axis]]
    return Arguments((d.array(shape),), (axis, sizes))


def unflatten(x: Array, dim: int, sizes: Shape) -> Array:
    """Make several axes of one."""
    dim %= x.ndim
    return x.reshape((*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


def transposed(x: Array, *_: Any) -> Array:
    """Exchange the axes of a matrix; vectors and numbers stay."""
    return x.T


def swapped(x: Array, first: int, second: int) -> Array:
    """Exchange two axes."""
    return x.swapaxes(first, second) if x.ndim else x


def moved(x: Array, source: Any, destination: Any) -> Array:
    """Take axes out and put them back elsewhere."""
    return np.moveaxis(x, source, destination)


def expansion(d: Draw) -> Arguments:
    """Draw a tensor, and the sizes of a larger one, one by one."""
    x, wanted = grown(d)
    return Arguments((x,), wanted)


def broadcasting(d: Draw) -> Arguments:
    """Draw a tensor and the shape of a larger one."""
    x, wanted = grown(d)
    return Arguments((x,), (wanted,))


def expand(x: Array, *sizes: int) -> Array:
    """Repeat along axes of size 1."""
    return np.broadcast_to(x, sizes)


def shape_of(name: str, forward: Callable[..., Any], draw: Drawing, view: str) -> Operation:
    """Make a record: all of these are linear."""
    return Operation(name, forward, draw, linear=True, view=view)


SHAPING = (
    shape_of("view", lambda x, *sizes: x.reshape(sizes), to_sizes_in_place, "always"),
    shape_of("reshape", np.reshape, to_sizes, "maybe"),
    shape_of("flatten", flatten, flattened, "maybe"),
    shape_of("ravel", np.ravel, one(), "maybe"),
    shape_of("unflatten", unflatten, split_axis, "always"),
    shape_of("permute", np.transpose, ordered, "always"),
    shape_of("transpose", swapped, two_axes, "always"),
    shape_of("swapaxes", swapped, two_axes, "always"),
    shape_of("swapdims", swapped, two_axes, "always"),
    shape_of("t", transposed, one(shapes=((2, 3), (3,), (), (3, 1), (0, 3))), "always"),
    shape_of("movedim", moved, moved_axes, "always"),
    shape_of("moveaxis", moved, moved_axes, "always"),
    shape_of("squeeze", np.squeeze, squeezed, "always"),
    shape_of("unsqueeze", np.expand_dims, gap, "always"),
    shape_of("expand", expand, expansion, "always"),
    shape_of("broadcast_to", np.broadcast_to, broadcasting, "always"),
    shape_of("narrow", cut, part, "always"),
    shape_of("select", lambda x, dim, index: np.take(x, index, axis=dim), place, "always"),
    shape_of("unbind", lambda x, dim: [*np.moveaxis(x, dim, 0)], along(shapes=FILLED_VECTORS),
             "always"),
    shape_of("chunk", chunks, pieces, "always"),
    shape_of("split", by_size, pieces, "always"),
    shape_of("tensor_split", lambda x, n, dim: np.array_split(x, n, axis=dim), pieces, "always"),
    shape_of("hsplit", split_along(1), evenly((4,), (3, 2), (2, 4, 3)), "always"),
    shape_of("vsplit", split_along(0), evenly((4, 1), (2, 3), (2, 4, 3)), "always"),
    shape_of("dsplit", split_along(2), evenly((1, 3, 2), (2, 2, 4)), "always"),
    shape_of("diagonal", np.diagonal, off(*WIDE), "always"),
    shape_of("diag", np.diag, off((3,), (2, 3), (2, 2), (1,), (0,), (4, 2)), "maybe"),
    shape_of("tril", np.tril, off(*WIDE), "never"),
    shape_of("triu", np.triu, off(*WIDE), "never"),
    shape_of("clone", np.copy, one(), "never"),
    shape_of("contiguous", np.copy, one(), "maybe"),
    shape_of("flip", np.flip, all_axes, "never"),
    shape_of("flipud", np.flipud, one(shapes=FILLED_VECTORS), "never"),
    shape_of("fliplr", np.fliplr, one(shapes=MATRICES), "never"),
    shape_of("roll", lambda x, n, dim: np.roll(x, n, axis=dim), rolled, "never"),
    shape_of("tile", np.tile, copied, "never"),
    shape_of("repeat", lambda x, *times: np.tile(x, times), copied_in_full, "never"),
    shape_of("repeat_interleave", lambda x, n, dim: np.repeat(x, n, axis=dim), stretched, "never"),
    shape_of("pad", pad, padded, "never"),
)  # fmt: skip
