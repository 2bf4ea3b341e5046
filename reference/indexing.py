"""Indexing, gather and scatter.

Integers, slices, None and Ellipsis select by strides: a view. Lists, index tensors and masks copy.
`gather` reads and `scatter` writes at the addresses that an index tensor names along one
dimension; each is the other's adjoint. Their size rules are those of PyTorch's `scatter_`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import raw
from .errors import BadDimension, DtypeMismatch, IndexOutOfRange, NotDifferentiable, ShapeMismatch, UnknownName
from .primitives import primitive
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


_select = primitive(
    "index", lambda x, key: x[key], linear=True, view=True,
    x=lambda g, x_shape, key: _embed(g, key=key, shape=x_shape),
)  # fmt: skip
_embed = primitive(
    "embed", _embedded, linear=True, x=lambda g, key: _select(g, key=key)
)


def _basic(item: Any) -> bool:
    if isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_):
        return True
    return item is None or item is Ellipsis or isinstance(item, slice)


def _plain(item: Any) -> Any:
    """A 0-d integer tensor selects like the number it holds."""
    if isinstance(item, Tensor | np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(raw(item))
    if isinstance(item, slice) and item.step is not None and item.step < 1:
        raise ValueError("slice step must be greater than zero")
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
        raise ShapeMismatch(f"start ({start}) + length ({length}) exceeds dimension size ({extent})")
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
            arrays.append(item if isinstance(item, Tensor) else _as_index(item))
    return tuple(template), arrays


def _as_index(item: Any) -> Array:
    array = np.asarray(item)
    return array.astype(np.int64) if array.size == 0 and array.dtype.kind == "f" else array


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


_take = primitive(
    "take", lambda x, *rest, template: np.array(x[_key(template, rest)]), linear=True,
    x=lambda g, rest, x_shape, template: put_at(
        zeros_of(g, x_shape), g, *rest, template=template, accumulate=True
    ),
    rest=None,
)  # fmt: skip
put_at = primitive(
    "index_put", _put, linear=True, broadcasts=True,
    x=lambda g, rest, template, accumulate: g
    if accumulate
    else put_at(g, 0, *rest, template=template, accumulate=False),
    values=lambda g, rest, template: _take(g, *rest, template=template),
    rest=None,
)  # fmt: skip


def zeros_of(g: Any, shape: Shape) -> Array:
    return np.zeros(shape, dtype=raw(g).dtype)


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy of `x` with `values` written (or added) at x[indices]; values broadcast.

    Of several values for one place the last wins, but each receives the gradient.
    """
    template, arrays = apart(tuple(indices))
    return put_at(x, values, *arrays, template=template, accumulate=accumulate)


# --- gather and scatter ---------------------------------------------------------------------------


def _addresses(index: Array, dim: int) -> Key:
    """For each position of `index`, where it points: its own position, replaced along `dim`."""
    if index.ndim == 0:
        return (index,)
    mesh = list(np.ogrid[tuple(slice(0, size) for size in index.shape)])
    mesh[dim] = index
    return tuple(mesh)


def _scattered(x: Array, src: Any, index: Array, dim: int, reduce: str | None) -> Array:
    made = np.array(x)
    if index.size == 0:
        return made
    writable = made.reshape(1) if made.ndim == 0 else made
    index = index.reshape(1) if index.ndim == 0 else index
    if isinstance(src, np.ndarray):
        src = src.reshape(1) if src.ndim == 0 else src
        src = src[tuple(slice(0, size) for size in index.shape)]
    where_to = _addresses(index, dim)
    if reduce is None:
        writable[where_to] = src
    else:
        (np.add if reduce == "add" else np.multiply).at(writable, where_to, src)
    return made


def _gathered(x: Array, index: Array, dim: int) -> Array:
    if index.size == 0:
        return np.empty(index.shape, x.dtype)
    source = x.reshape(1) if x.ndim == 0 else x
    flat = index.reshape(1) if index.ndim == 0 else index
    result: Array = np.array(source[_addresses(flat, dim)]).reshape(index.shape)
    return result


def _no_reduction(g: Any, index: Any, dim: int, reduce: str | None) -> Any:
    if reduce is not None:
        raise NotDifferentiable("scatter with reduce has no derivative; use scatter_add")
    return index


_gather = primitive(
    "gather", _gathered, linear=True,
    x=lambda g, index, x_shape, dim: scatter_added(zeros_of(g, x_shape), g, index, dim=dim),
    index=None,
)  # fmt: skip
scattered = primitive(
    "scatter", _scattered, linear=True,
    x=lambda g, index, dim, reduce: scattered(
        g, 0, _no_reduction(g, index, dim, reduce), dim=dim, reduce=None
    ),
    src=lambda g, index, dim, reduce: _gather(
        g, _no_reduction(g, index, dim, reduce), dim=dim
    ),
    index=None,
)  # fmt: skip
scatter_added = primitive(
    "scatter_add", lambda x, src, index, dim: _scattered(x, src, index, dim, "add"), linear=True,
    x=lambda g: g,
    src=lambda g, index, dim: _gather(g, index, dim=dim),
    index=None,
)  # fmt: skip


def check_index(name: str, x: Any, dim: int, index: Any, src: Any = None) -> int:
    """The size, range and dtype rules that gather and scatter share. Returns the dimension."""
    dim = dimension(dim, x.ndim)
    array = raw(index)
    if array.dtype not in (np.int64, np.int32):
        raise DtypeMismatch(f"{name}(): Expected dtype int32/int64 for index")
    if src is not None and src.dtype != x.dtype:
        raise DtypeMismatch(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if array.size == 0:
        return dim
    sizes, bounds = array.shape or (1,), x.shape or (1,)
    if len(sizes) != len(bounds):
        raise ShapeMismatch("Index tensor must have the same number of dimensions as self tensor")
    fits = all(a <= b for axis, (a, b) in enumerate(zip(sizes, bounds, strict=True)) if axis != dim)
    if src is not None:
        given = src.shape or (1,)
        if len(given) != len(sizes):
            raise ShapeMismatch("Index tensor must have the same number of dimensions as src tensor")
        fits = fits and all(a <= b for a, b in zip(sizes, given, strict=True))
    if not fits:
        raise ShapeMismatch(
            f"Expected index {list(array.shape)} to be no larger than self {list(x.shape)} apart "
            f"from dimension {dim}" + ("" if src is None else f" and than src {list(src.shape)}")
        )
    if array.min() < 0 or array.max() >= bounds[dim]:
        raise IndexOutOfRange(
            f"{name}: an index is out of bounds for dimension {dim} with size {bounds[dim]}"
        )
    return dim


def gather(x: Any, dim: int, index: Any) -> Any:
    """out[p] = x[p with index[p] in place of p's entry `dim`], for every position p of index."""
    return _gather(x, index, dim=check_index("gather", x, dim, index))


def reduction(name: str) -> str | None:
    """What scatter's `reduce` asks for, None if nothing. Raises UnknownName."""
    if name not in ("", "add", "multiply"):
        raise UnknownName("reduce argument must be either add or multiply")
    return name or None


def scatter(x: Any, dim: int, index: Any, src: Any, reduce: str = "") -> Any:
    """A copy of `x` with src[p] (or the number src) written where index[p] points along `dim`.

    `reduce` "add" or "multiply" combines instead of overwriting, and has no derivative. Raises
    ShapeMismatch, DtypeMismatch, IndexOutOfRange, UnknownName. Of duplicates one wins; each gets
    the gradient.
    """
    combine = reduction(reduce)
    tensor = src if isinstance(src, Tensor | np.ndarray) else None
    dim = check_index("scatter", x, dim, index, tensor)
    if tensor is None:
        src = x.dtype.type(src)
    return scattered(x, src, index, dim=dim, reduce=combine)


def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy of `x` with src[p] added where index[p] points; every duplicate counts."""
    if not isinstance(src, Tensor | np.ndarray):
        raise TypeError(f"scatter_add: src must be a tensor, not {type(src).__name__}")
    dim = check_index("scatter_add", x, dim, index, src)
    return scatter_added(x, src, index, dim=dim)


def one_hot(labels: Any, classes: int) -> Tensor:
    """Rows of the identity matrix, as integers. Raises IndexOutOfRange."""
    array = raw(labels)
    if array.size and (array.min() < 0 or array.max() >= classes):
        raise IndexOutOfRange(f"one_hot: labels must lie in [0, {classes})")
    return Tensor.from_array(np.eye(classes, dtype=np.int64)[array])


__all__ = [
    "apart", "check_index", "gather", "index", "index_put", "narrow", "normal_key", "one_hot", "put_at",
    "reduction", "scatter", "scatter_add", "scatter_added", "scattered", "select",
]  # fmt: skip
