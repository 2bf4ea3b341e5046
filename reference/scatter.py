"""Reading and writing at the addresses that an index tensor names along one dimension.

`gather` reads, `scatter` writes, `scatter_add` adds; each of the first two is the other's adjoint.
Sizes, ranges and dtypes are checked by the rules of PyTorch's `Tensor.scatter_`.
"""

# ruff: noqa: ARG001  (the parameters of a rule are its declaration)

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import raw
from .errors import (
    DtypeMismatch,
    IndexOutOfRange,
    NotATensor,
    NotDifferentiable,
    ShapeMismatch,
    UnknownName,
)
from .primitives import Primitive, primitive
from .shaping import dimension
from .tensor import Array, Tensor

Key = tuple[Any, ...]


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


_gather: Primitive = primitive(
    "gather", _gathered, linear=True,
    x=lambda g, index, x_shape, dim: scatter_added(np.zeros(x_shape), g, index, dim=dim),
    index=None,
)  # fmt: skip
scattered: Primitive = primitive(
    "scatter", _scattered, linear=True,
    x=lambda g, index, dim, reduce: scattered(
        g, 0, _no_reduction(g, index, dim, reduce), dim=dim, reduce=None
    ),
    src=lambda g, index, dim, reduce: _gather(
        g, _no_reduction(g, index, dim, reduce), dim=dim
    ),
    index=None,
)  # fmt: skip
scatter_added: Primitive = primitive(
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
            raise ShapeMismatch("Index tensor must have as many dimensions as src tensor")
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
        raise NotATensor(f"scatter_add: src must be a tensor, not {type(src).__name__}")
    dim = check_index("scatter_add", x, dim, index, src)
    return scatter_added(x, src, index, dim=dim)


def one_hot(labels: Any, classes: int) -> Tensor:
    """Rows of the identity matrix, as integers. Raises IndexOutOfRange."""
    array = raw(labels)
    if array.size and (array.min() < 0 or array.max() >= classes):
        raise IndexOutOfRange(f"one_hot: labels must lie in [0, {classes})")
    return Tensor.from_array(np.eye(classes, dtype=np.int64)[array])
