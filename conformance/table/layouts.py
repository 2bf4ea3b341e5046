"""Ways to lie in memory that operations meet, beside those that arrays of all claims have."""

import numpy as np

from ..strategies.arrays import DENSE, LAYOUTS, Array, Layout, contiguous, transposed

Shape = tuple[int, ...]


def cropped(shape: Shape, values: Array) -> Array:
    """Cut out of a larger array: neighbours along the last axis touch, and rows do not."""
    if not shape:
        return later(shape, values)
    buffer = np.full([n + 1 for n in shape], 9.0, values.dtype)
    inside = buffer[tuple(slice(1, None) for _ in shape)]
    inside[...] = values.reshape(shape)
    return inside


def swapped(shape: Shape, values: Array) -> Array:
    """The first two axes exchanged: of three the last one has a stride of 1 all the same."""
    if len(shape) < 3:
        return transposed(shape, values)
    return values.reshape((shape[1], shape[0], *shape[2:])).swapaxes(0, 1)


def later(shape: Shape, values: Array) -> Array:
    """Row-major memory that begins with the second entry of a longer one."""
    return np.concatenate([np.full(1, 9.0, values.dtype), values])[1:].reshape(shape)


def columns(shape: Shape, values: Array) -> Array:
    """One column repeated along the last axis by a stride of 0."""
    if not shape or not values.size:
        return contiguous(shape, values)
    first = values.reshape(shape)[..., 0].copy()
    return np.ndarray(shape, first.dtype, first, strides=(*first.strides, 0))


def channels_last(shape: Shape, values: Array) -> Array:
    """The second axis innermost, as in images whose channels come last in memory."""
    if len(shape) <= 2:
        return contiguous(shape, values)
    return np.moveaxis(values.reshape((shape[0], *shape[2:], shape[1])), -1, 1)


IN_ANY_ORDER: tuple[Layout, ...] = (*DENSE, cropped, swapped, later)
"""Layouts in which no two entries lie in one place."""
IN_ANY_WAY: tuple[Layout, ...] = (*LAYOUTS, cropped, swapped, later, columns)
"""All layouts."""


def lying(x: Array, way: Layout) -> Array:
    """The same entries in a layout in which no two of them lie in one place."""
    room = way(x.shape, np.zeros(x.size, x.dtype))
    room[...] = x
    return room


def laid_out(x: Array) -> list[Array]:
    """The same entries in several layouts, and last the first column repeated by a stride of 0."""
    same = [lying(x, way) for way in (contiguous, swapped, cropped)]
    return [*same, columns(x.shape, x.ravel())]


def lying_anyhow(x: Array, way: Layout) -> Array:
    """The same entries in any layout; of numbers and masks perhaps one column, repeated."""
    if way is not columns:
        return lying(x, way)
    return x if x.dtype.kind == "i" else columns(x.shape, x.ravel())


def shortened(x: Array, way: Layout) -> Array:
    """The same indices in 32 bits."""
    return lying(x.astype(np.int32), way) if x.dtype.kind == "i" else x


CONSTANTS = {"constants": lying_anyhow, "int32": shortened}
"""What is done to what is no tensor to be differentiated by, in corners of these kinds."""
