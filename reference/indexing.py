"""Indexing with brackets, and writing there out of place.

Integers, slices, None and Ellipsis select by strides: a view. Lists, index tensors and masks copy.
"""

# ruff: noqa: FBT001, FBT002  (signatures are PyTorch's)

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import raw
from .errors import BadDimension, IndexOutOfRange, InvalidKey, ShapeMismatch
from .primitives import Primitive, primitive
from .shaping import dimension
from .tensor import Array, Tensor

Shape = tuple[int, ...]
Key = tuple[Any, ...]
HOLE = object()  # where an index array goes in a key

# --- views ----------------------------------------------------------------------------------------


def _embedded(g: Array, key: Key, shape: Shape) -> Array:
    made = np.zeros(shape, dtype=g.dtype)
    made[key] = g
    return made


_select: Primitive = primitive(
    "index", lambda x, key: x[key], linear=True, view=True,
    x=lambda g, x_shape, key: _embed(g, key=key, shape=x_shape),
)  # fmt: skip
_embed: Primitive = primitive("embed", _embedded, linear=True, x=lambda g, key: _select(g, key=key))


def _basic(item: Any) -> bool:
    if isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_):
        return True
    return item is None or item is Ellipsis or isinstance(item, slice)


def _plain(item: Any) -> Any:
    """A 0-d integer tensor selects like the number it holds."""
    if isinstance(item, Tensor | np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(raw(item))
    if isinstance(item, slice) and item.step is not None and item.step < 1:
        raise InvalidKey("slice step must be greater than zero")
    return item


def normal_key(key: Any) -> tuple[Key, bool]:
    """The key as a tuple, and whether it selects by strides alone."""
    items = tuple(map(_plain, key if isinstance(key, tuple) else (key,)))
    basic = all(map(_basic, items))
    # Without an Ellipsis numpy would return an element as a number, which shares no memory.
    if basic and not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    return items, basic


def index(x: Tensor, key: Any) -> Tensor:
    """`x[key]`: a view for a basic key, else a copy. Raises IndexOutOfRange."""
    items, basic = normal_key(key)
    if basic:
        result: Tensor = _select(x, key=items)
        return result
    template, arrays = apart(items)
    taken: Tensor = _take(x, *arrays, template=template)
    return taken


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """The view x[start : start + length] along `dim`, without clipping."""
    if x.ndim == 0:
        raise BadDimension("narrow() cannot be applied to a 0-dim tensor")
    dim = dimension(dim, x.ndim)
    extent = x.shape[dim]
    if length < 0:
        raise ShapeMismatch("narrow(): length must be non-negative")
    if not -extent <= start <= extent:
        raise IndexOutOfRange(f"narrow: start {start} is out of range for size {extent}")
    start += extent if start < 0 else 0
    if start + length > extent:
        raise ShapeMismatch(f"start ({start}) + length ({length}) exceeds the size ({extent})")
    return x[(slice(None),) * dim + (slice(start, start + length),)]


def select(x: Any, dim: int, position: int) -> Any:
    """The view at one position along `dim`, which disappears."""
    if x.ndim == 0:
        raise BadDimension("select() cannot be applied to a 0-dim tensor")
    return x[(slice(None),) * dimension(dim, x.ndim) + (position,)]


# --- index arrays and masks -----------------------------------------------------------------------


def apart(items: Key) -> tuple[Key, list[Any]]:
    """Split a key into its index arrays, which are arguments, and the rest, which is a template."""
    template, arrays = [], []
    for item in items:
        if _basic(item):
            template.append(item)
        else:
            template.append(HOLE)
            arrays.append(_as_index(item))
    return tuple(template), arrays


def _as_index(item: Any) -> Any:
    index = item if isinstance(item, Tensor) else np.asarray(item)
    if index.dtype.kind in "iub":
        return index
    if isinstance(item, list) and not item:
        return index.astype(np.int64)  # where numpy makes floats of nothing
    raise InvalidKey(f"{item} is no index: use integers, slices, None, Ellipsis or bools")


def _key(template: Key, arrays: tuple[Any, ...]) -> Key:
    remaining = iter(arrays)
    return tuple(raw(next(remaining)) if item is HOLE else item for item in template)


def _put(x: Array, values: Any, *rest: Any, template: Key, accumulate: bool) -> Array:
    made = np.array(x)
    if accumulate:
        np.add.at(made, _key(template, rest), values)
    else:
        made[_key(template, rest)] = values
    return made


_take: Primitive = primitive(
    "take", lambda x, *rest, template: np.array(x[_key(template, rest)]), linear=True,
    x=lambda g, rest, x_shape, template: put_at(
        np.zeros(x_shape), g, *rest, template=template, accumulate=True
    ),
    rest=None,
)  # fmt: skip
put_at: Primitive = primitive(
    "index_put", _put, linear=True, broadcasts=True,
    x=lambda g, rest, template, accumulate: g
    if accumulate
    else put_at(g, 0, *rest, template=template, accumulate=False),
    values=lambda g, rest, template: _take(g, *rest, template=template),
    rest=None,
)  # fmt: skip


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy of `x` with `values` written (or added) at x[indices]; values broadcast.

    Of several values for one place the last wins, but each receives the gradient.
    """
    template, arrays = apart(tuple(indices))
    return put_at(x, values, *arrays, template=template, accumulate=accumulate)
