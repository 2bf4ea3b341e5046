"""Indexing with brackets, and reading and writing at the addresses that an index tensor names.

Integers, slices, None and Ellipsis select by strides: a view. Lists, index tensors and masks copy.
Along one dimension `gather` reads, `scatter` writes and `scatter_add` adds, each the adjoint of
another; their sizes, ranges and dtypes are checked by the rules of PyTorch's `Tensor.scatter_`.
"""

# ruff: noqa: FBT001, FBT002  (signatures are PyTorch's)

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .elementwise import copy_
from .errors import AutogradError
from .primitives import Primitive, primitive
from .shaping import dimension
from .tensor import Array, Shape, Tensor, raw
from .views import inplace, layout, view_primitive

__all__ = [
    "gather", "index_put", "narrow", "one_hot", "scatter", "scatter_", "scatter_add",
    "scatter_add_", "select",
]  # fmt: skip

Key = tuple[Any, ...]
HOLE = object()  # where an index array goes in a key

# --- views ----------------------------------------------------------------------------------------


def _embedded(g: Array, key: Key, shape: Shape) -> Array:
    made = np.zeros(shape, dtype=g.dtype)
    made[key] = g
    return made


_select: Primitive = view_primitive(
    "index", lambda x, key: x[key], x=lambda g, x_shape, key: _embed(g, key=key, shape=x_shape)
)
_embed: Primitive = primitive("embed", _embedded, x=lambda g, key: _select(g, key=key))


def _basic(item: Any) -> bool:
    if isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_):
        return True
    return item is None or item is Ellipsis or isinstance(item, slice)


def _plain(item: Any) -> Any:
    """A scalar integer tensor selects like the number it holds."""
    if isinstance(item, Tensor | np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(raw(item))
    if isinstance(item, slice) and item.step is not None and item.step < 1:
        raise AutogradError("argument", "slice step must be greater than zero")
    return item


def normal_key(key: Any) -> tuple[Key, bool]:
    """The key as a tuple, and whether it selects by strides alone."""
    items = tuple(map(_plain, key if isinstance(key, tuple) else (key,)))
    basic = all(map(_basic, items))
    # Without an Ellipsis numpy would return an element as a number, which shares no memory.
    if basic and not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    return items, basic


def getitem(x: Tensor, key: Any) -> Any:
    """`x[key]`: a view for a basic key, else a copy. Raises index_range, argument."""
    items, basic = normal_key(key)
    if basic:
        return _select(x, key=items)
    template, arrays = apart(items)
    return _take(x, *arrays, template=template)


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """The view x[start : start + length] along `dim`, without clipping."""
    dim = dimension(dim, x.ndim, least=0)
    extent = x.shape[dim]
    if not -extent <= start <= extent:
        raise AutogradError("index_range", f"narrow: start {start} of {extent}")
    start += extent if start < 0 else 0
    if length < 0 or start + length > extent:
        raise AutogradError("shape", f"narrow: {length} elements from {start} of {extent}")
    return x[(slice(None),) * dim + (slice(start, start + length),)]


def select(x: Any, dim: int, position: int) -> Any:
    """The view at one position along `dim`, which disappears."""
    return x[(slice(None),) * dimension(dim, x.ndim, least=0) + (position,)]


# --- index arrays and masks -----------------------------------------------------------------------


def apart(items: Key) -> tuple[Key, list[Any]]:
    """Split a key into its index arrays, which are arguments, and the rest, which is a template."""
    template = tuple(item if _basic(item) else HOLE for item in items)
    return template, [_as_index(item) for item in items if not _basic(item)]


def _as_index(item: Any) -> Any:
    index = item if isinstance(item, Tensor) else np.asarray(item)
    if index.dtype.kind in "iub":
        return index
    if isinstance(item, list) and not item:
        return index.astype(np.int64)  # where numpy makes floats of nothing
    raise AutogradError("argument", f"an index of {index.dtype}: use integers or bools")


def _key(template: Key, arrays: tuple[Any, ...]) -> Key:
    remaining = iter(arrays)
    return tuple(raw(next(remaining)) if item is HOLE else item for item in template)


def _put(x: Array, values: Any, *rest: Any, template: Key, accumulate: bool) -> Array:
    made, key = np.array(x), _key(template, rest)
    if np.ndim(values) > 1:  # numpy takes no such values for a mask, and drops axes for others
        values = np.broadcast_to(values, made[key].shape)
    if accumulate:
        np.add.at(made, key, values)
    else:
        made[key] = values
    return made


_take: Primitive = primitive(
    "take", lambda x, *rest, template: np.array(x[_key(template, rest)]),
    x=lambda g, rest, x_shape, template: _put_at(
        np.zeros(x_shape, g.dtype), g, *rest, template=template, accumulate=True
    ),
    rest=None,
)  # fmt: skip
_put_at: Primitive = primitive(
    "index_put", _put, broadcasts=True,
    x=lambda g, rest, template, accumulate: g
    if accumulate
    else _put_at(g, 0, *rest, template=template, accumulate=False),
    values=lambda g, rest, template: _take(g, *rest, template=template),
    rest=None,
)  # fmt: skip


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """A copy of `x` with `values` written (or added) at x[indices]; values broadcast.

    Of several values for one element the last wins, but each receives the gradient.
    """
    template, arrays = apart(tuple(indices))
    return _put_at(x, values, *arrays, template=template, accumulate=accumulate)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`: through a view for a basic key, else an in-place index_put."""
    items, basic = normal_key(key)
    target = getitem(self, items) if basic else None
    if target is not None and layout(target.array) == layout(self.array):
        target = self  # all of it: no view is needed
    if not isinstance(value, Tensor) and np.ndim(value):
        value = Tensor(value)
    while np.ndim(raw(value)) > (1 if target is None else target.ndim) and value.shape[0] == 1:
        value = value[0]
    if target is not None:
        copy_(target, value)
        return
    template, arrays = apart(items)
    inplace(_put_at, self, value, *arrays, cast=True, template=template, accumulate=False)


# --- along one dimension --------------------------------------------------------------------------


def _addresses(index: Array, dim: int) -> Key:
    """For each position of `index`, where it points: its own position, replaced along `dim`."""
    mesh = list(np.ogrid[tuple(map(slice, index.shape))])
    mesh[dim] = index
    return tuple(mesh)


def _scattered(x: Array, src: Any, index: Array, dim: int, reduce: str | None) -> Array:
    made = np.array(x)
    if index.size == 0:
        return made
    index, writable = np.atleast_1d(index), np.atleast_1d(made)
    if isinstance(src, np.ndarray):
        src = np.atleast_1d(src)[tuple(map(slice, index.shape))]
    where_to = _addresses(index, dim)
    if reduce is None:
        writable[where_to] = src
    else:
        (np.add if reduce == "add" else np.multiply).at(writable, where_to, src)
    return made


def _gathered(x: Array, index: Array, dim: int) -> Array:
    if index.size == 0:
        return np.empty(index.shape, x.dtype)
    flat = np.atleast_1d(index)
    return np.array(np.atleast_1d(x)[_addresses(flat, dim)]).reshape(index.shape)


def _plain_index(index: Any, reduce: str | None) -> Any:
    if reduce is not None:
        raise AutogradError("not_differentiable", "scatter with reduce has no derivative")
    return index


def _of_src(index: Any, shape: Shape) -> Any:
    """The index in the axes of src, which may have one more or less if both have one entry."""
    return raw(index).reshape(shape) if raw(index).size == math.prod(shape) == 1 else index


_gather: Primitive = primitive(
    "gather", _gathered,
    x=lambda g, index, x_shape, dim: _scatter_added(np.zeros(x_shape, g.dtype), g, index, dim=dim),
    index=None,
)  # fmt: skip
_scatter: Primitive = primitive(
    "scatter", _scattered,
    x=lambda g, index, dim, reduce: _scatter(
        g, 0, _plain_index(index, reduce), dim=dim, reduce=None
    ),
    src=lambda g, src_shape, index, dim, reduce: _gather(
        g, _of_src(_plain_index(index, reduce), src_shape), dim=dim
    ),
    index=None,
)  # fmt: skip
_scatter_added: Primitive = primitive(
    "scatter_add", lambda x, src, index, dim: _scattered(x, src, index, dim, "add"),
    x=lambda g: g,
    src=lambda g, src_shape, index, dim: _gather(g, _of_src(index, src_shape), dim=dim),
    index=None,
)  # fmt: skip


def _checked(name: str, x: Any, dim: int, index: Any, src: Any = None) -> int:
    """The dimension, if sizes, range and dtypes are as gather and scatter want them."""
    dim = dimension(dim, x.ndim)
    array = raw(index)
    if array.dtype not in (np.int64, np.int32):
        raise AutogradError("dtype", f"{name}: an index of int32 or int64, not {array.dtype}")
    if src is not None and src.dtype != x.dtype:
        raise AutogradError("dtype", f"{name}: src of {src.dtype} for {x.dtype}")
    if array.size == 0:
        return dim
    sizes, bounds = array.shape or (1,), x.shape or (1,)
    given = sizes if src is None else src.shape or (1,)
    fits = len(sizes) == len(bounds) == len(given) and all(
        size <= here and (size <= bound or axis == dim)
        for axis, (size, bound, here) in enumerate(zip(sizes, bounds, given, strict=True))
    )
    if not fits:
        wanted = "self, apart from that dimension" + ("" if src is None else ", or than src")
        raise AutogradError("shape", f"{name}: index {list(array.shape)} is larger than {wanted}")
    if array.min() < 0 or array.max() >= bounds[dim]:
        raise AutogradError("index_range", f"{name}: an index is out of range in dimension {dim}")
    return dim


def gather(x: Any, dim: int, index: Any) -> Any:
    """out[p] = x[p with index[p] in place of p's entry `dim`], for every position p of index."""
    return _gather(x, index, dim=_checked("gather", x, dim, index))


def _written(x: Any, dim: int, index: Any, src: Any, reduce: str) -> tuple[Any, dict[str, Any]]:
    """What scatter writes, and the attributes of the primitive. Raises argument."""
    if reduce not in ("", "add", "multiply"):
        raise AutogradError("argument", "scatter: reduce is either add or multiply")
    tensor = src if isinstance(src, Tensor | np.ndarray) else None
    dim = _checked("scatter", x, dim, index, tensor)
    if tensor is None:
        src = x.dtype.type(src)
    return src, {"dim": dim, "reduce": reduce or None}


def _added(x: Any, dim: int, index: Any, src: Any) -> dict[str, Any]:
    """The attributes of scatter_add. Raises argument."""
    if not isinstance(src, Tensor | np.ndarray):
        raise AutogradError("argument", f"scatter_add: src is no {type(src).__name__}")
    return {"dim": _checked("scatter_add", x, dim, index, src)}


def _refuse_shared(self: Tensor, *others: Any) -> None:
    for other in others:
        if isinstance(raw(other), np.ndarray) and np.may_share_memory(self.array, raw(other)):
            raise AutogradError("overlapping_write", "scatter reads memory that it writes")


def scatter(x: Any, dim: int, index: Any, src: Any, reduce: str = "") -> Any:
    """A copy of `x` with src[p] (or the number src) written where index[p] points along `dim`.

    `reduce` "add" or "multiply" combines instead of overwriting, and has no derivative. Raises
    shape, dtype, index_range, argument. Of duplicates one wins; each gets the gradient.
    """
    src, attributes = _written(x, dim, index, src, reduce)
    return _scatter(x, src, index, **attributes)


def scatter_(self: Tensor, dim: int, index: Any, src: Any, reduce: str = "") -> Tensor:
    """In-place `scatter`; self may share no memory at all with index and src."""
    src, attributes = _written(self, dim, index, src, reduce)
    _refuse_shared(self, index, src)
    return inplace(_scatter, self, src, index, **attributes)


def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    """A copy of `x` with src[p] added where index[p] points; every duplicate counts."""
    return _scatter_added(x, src, index, **_added(x, dim, index, src))


def scatter_add_(self: Tensor, dim: int, index: Any, src: Any) -> Tensor:
    """In-place `scatter_add`."""
    attributes = _added(self, dim, index, src)
    _refuse_shared(self, index, src)
    return inplace(_scatter_added, self, src, index, **attributes)


def one_hot(labels: Any, classes: int) -> Tensor:
    """Rows of the identity matrix, as integers. Raises index_range."""
    array = raw(labels)
    if array.size and (array.min() < 0 or array.max() >= classes):
        raise AutogradError("index_range", f"one_hot: labels must lie in [0, {classes})")
    return Tensor.from_array(np.eye(classes, dtype=np.int64)[array])
