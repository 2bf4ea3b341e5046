"""Arrays that hit the interesting points on purpose.

One draw makes one array: a byte for the layout, then a byte for each entry, looked up in a table
of values. The first entry of a table is the simplest: examples shrink to contiguous arrays of it.
Half of every table is a handful of adversarial values (zero, one, ties, halves); all values are
short binary fractions, exact in every dtype, and products of a few of them are exact too.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

Array = npt.NDArray[np.float64]

SHAPES: tuple[tuple[int, ...], ...] = (
    (3,),
    (2, 3),
    (),
    (1,),
    (0,),
    (4,),
    (3, 1),
    (1, 4),
    (2, 2),
    (0, 3),
    (2, 3, 2),
    (2, 1, 3),
)
"""A small pool, so that backends that compile reuse their work."""

SPECIAL = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0)
QUARTERS = tuple(np.arange(-32, 32) / 4)


def table_of(*values: float) -> Array:
    """Spread `values` over 256 entries: the first eight fill one half, all of them the other."""
    first, every = np.resize(values[:8], 128), np.resize(values, 128)
    return np.concatenate([first, every])


ANY = table_of(*SPECIAL, *QUARTERS)
NONZERO = table_of(*(v for v in (*SPECIAL[1:], 1.5, *QUARTERS) if v))
POSITIVE = table_of(*(v for v in (1.0, 2.0, 0.5, 3.0, 1.5, 4.0, 0.25, 2.5, *QUARTERS) if v > 0))

Layout = Callable[[tuple[int, ...], Array], Array]


def contiguous(shape: tuple[int, ...], values: Array) -> Array:
    """Row-major memory."""
    return values.reshape(shape)


def transposed(shape: tuple[int, ...], values: Array) -> Array:
    """Column-major memory."""
    return values.reshape(shape[::-1]).T


def sliced(shape: tuple[int, ...], values: Array) -> Array:
    """Every second entry of a longer last dimension, starting at the second."""
    if not shape:
        return np.concatenate([np.full(1, 9.0, values.dtype), values])[1:].reshape(())
    buffer = np.full((*shape[:-1], 2 * shape[-1]), 9.0, values.dtype)
    buffer[..., 1::2] = values.reshape(shape)
    return buffer[..., 1::2]


def expanded(shape: tuple[int, ...], values: Array) -> Array:
    """One block repeated along the first dimension by a stride of 0."""
    if not shape or not values.size:
        return contiguous(shape, values)
    block = values.reshape(shape)[:1].copy()
    return np.ndarray(shape, block.dtype, block, strides=(0, *block.strides[1:]))


COMPACT: tuple[Layout, ...] = (contiguous,)
DENSE: tuple[Layout, ...] = (contiguous, contiguous, transposed, sliced)
LAYOUTS: tuple[Layout, ...] = (*DENSE, expanded)


@cache
def so_many_bytes(count: int) -> st.SearchStrategy[bytes]:
    """Draw bytes, from which choices are read."""
    return st.binary(min_size=count, max_size=count)


@cache
def shapes(
    label: str = "shape", min_dims: int = 0, min_size: int = 0
) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw a shape from the pool; within one example, one label stands for one shape."""
    pool = [s for s in SHAPES if len(s) >= min_dims and min(s, default=1) >= min_size]
    return st.shared(st.sampled_from(pool), key=f"gradspec {label}")


@st.composite
def arrays(
    draw: st.DrawFn,
    label: str = "shape",
    *,
    values: Array = ANY,
    layouts: tuple[Layout, ...] = LAYOUTS,
    min_dims: int = 0,
    min_size: int = 0,
    shape: tuple[int, ...] | None = None,
) -> Array:
    """Draw an array of float64.

    All arrays drawn under one `label` in one example have the same shape, unless `shape` fixes it.
    `values` is one of ANY, NONZERO and POSITIVE; DENSE `layouts` leave out memory that overlaps
    itself, which cannot be written in place; `min_dims` and `min_size` exclude low ranks and short
    dimensions, the same for all arrays of one label.
    """
    if shape is None:
        shape = draw(shapes(label, min_dims, min_size))
        if len(shape) < min_dims or min(shape, default=1) < min_size:
            # Whoever draws first under a label chooses the pool for all.
            raise InvalidArgument(f"arrays drawn under the label {label!r} need the same bounds")
    size = int(np.prod(shape))
    codes = np.frombuffer(draw(so_many_bytes(size + 1)), np.uint8)
    layout = layouts[int(codes[0]) % len(layouts)]
    return layout(shape, values[codes[1:]])
