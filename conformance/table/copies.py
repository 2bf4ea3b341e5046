"""What views show, in memory of its own: the same calls as those of the views."""

import numpy as np

from .arguments import FILLED_VECTORS, VECTORS, Arguments, along, one
from .drawing import Array, Draw
from .rearranging import as_strided, by_sizes, by_strides, diagonals, overlapping, pieces_of, unfold
from .shaping import (
    broadcasting,
    by_size,
    chunks,
    gap,
    ordered,
    pieces,
    place,
    shape_of,
    squeezed,
    swapped,
    to_sizes,
    transposed,
    two_axes,
)


def stretch(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and where a stretch of it begins and ends, in steps, or to its end.

    Ends are counted from either side, or lie beyond.
    """
    shape = d.shape(*VECTORS)
    axis = d.axis(shape)
    size = shape[axis]
    start = d.byte() % (size + 1)
    end = start + d.byte() % (size + 2 - start)
    start -= size * (start < size and d.pick(False, True))
    return Arguments((d.array(shape),), (axis, start, d.pick(end, None), d.pick(1, 2)))


def sliced(x: Array, dim: int, start: int, end: int | None, step: int) -> Array:
    """Keep every so many places of a stretch of an axis."""
    return np.take(x, range(x.shape[dim])[start:end:step], axis=dim)


COPIED = (
    shape_of("view_copy", np.reshape, to_sizes, "never"),
    shape_of("expand_copy", np.broadcast_to, broadcasting, "never"),
    shape_of("permute_copy", np.transpose, ordered, "never"),
    shape_of("transpose_copy", swapped, two_axes, "never"),
    shape_of("t_copy", transposed, one(shapes=((2, 3), (3,), (), (3, 1), (0, 3))), "never"),
    shape_of("squeeze_copy", np.squeeze, squeezed, "never"),
    shape_of("unsqueeze_copy", np.expand_dims, gap, "never"),
    shape_of("select_copy", lambda x, dim, index: np.take(x, index, axis=dim), place, "never"),
    shape_of("slice_copy", sliced, stretch, "never"),
    shape_of("diagonal_copy", np.diagonal, diagonals, "never"),
    shape_of("unfold_copy", unfold, overlapping, "never"),
    shape_of("as_strided_copy", as_strided, by_strides, "never"),
    shape_of("alias_copy", np.copy, one(), "never"),
    shape_of("unbind_copy", lambda x, dim: [*np.moveaxis(x, dim, 0)],
             along(shapes=FILLED_VECTORS), "never"),
    shape_of("split_copy", by_size, pieces, "never"),
    shape_of("split_with_sizes_copy", pieces_of, by_sizes, "never"),
    shape_of("unsafe_chunk", chunks, pieces, "maybe"),
    shape_of("unsafe_split_with_sizes", pieces_of, by_sizes, "maybe"),
)  # fmt: skip
"""Copies of what views show."""
