"""Taking tensors apart and together: cat, stack, split, and the copies clone and flip.

The views that one call returns together cannot be written in place while recording: each write
would have to rewrite the history of all of them.
"""

# ruff: noqa: ARG005  (the parameters of a rule are its declaration)

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import BadDimension, ShapeMismatch
from .layout import is_dense
from .primitives import Primitive, primitive
from .shaping import Shape, dimension, dimensions, sizes, unsqueeze
from .tensor import Array, Tensor
from .views import as_one_of_several

# --- copies -------------------------------------------------------------------------------------


def _clone(x: Array) -> Array:
    return np.array(x, order="K" if is_dense(x) else "C")


def _part(g: Any, position: int, dim: int, starts: Shape) -> Any:
    return g[(slice(None),) * dim + (slice(starts[position], starts[position + 1]),)]


clone: Primitive = primitive("clone", _clone, linear=True, x=lambda g: g)
_contiguous: Primitive = primitive(
    "clone", lambda x: np.array(x, order="C"), linear=True, x=lambda g: g
)
_concatenated: Primitive = primitive(
    "cat", lambda *rest, dim, starts: np.concatenate(rest, dim), linear=True, rest=_part
)
_flipped: Primitive = primitive(
    "flip", lambda x, dims: np.array(np.flip(x, dims), order="C"), linear=True,
    x=lambda g, dims: _flipped(g, dims=dims),
)  # fmt: skip


def contiguous(x: Any) -> Any:
    """`x` itself if its memory is row-major without gaps, else a copy that is."""
    return x if x.is_contiguous() else _contiguous(x)


def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along `dim`. Raises ShapeMismatch if they differ elsewhere."""
    tensors = tuple(tensors)
    if not tensors:
        raise ShapeMismatch("cat expects a non-empty list of tensors")
    if any(each.ndim == 0 for each in tensors):
        raise ShapeMismatch("zero-dimensional tensors cannot be concatenated")
    dim = dimension(dim, tensors[0].ndim)
    starts = [0]
    for each in tensors:
        if each.ndim != tensors[0].ndim:
            raise ShapeMismatch("cat: tensors must have the same number of dimensions")
        starts.append(starts[-1] + each.shape[dim])
    return _concatenated(*tensors, dim=dim, starts=tuple(starts))


def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension `dim`."""
    tensors = tuple(tensors)
    if len({each.shape for each in tensors}) != 1:
        raise ShapeMismatch("stack expects each tensor to be equal size, and at least one")
    return cat([unsqueeze(each, dim) for each in tensors], dimension(dim, tensors[0].ndim + 1))


def flip(x: Any, *dims: Any) -> Any:
    """A copy with the order along `dims` reversed."""
    return _flipped(x, dims=dimensions(sizes(dims), x.ndim))


# --- several views at once ----------------------------------------------------------------------


def split(x: Any, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views of `split_size` (the last may be smaller), or of the sizes listed."""
    if x.ndim == 0:
        raise ShapeMismatch("split expects at least a 1-dimensional tensor")
    dim = dimension(dim, x.ndim)
    extent = x.shape[dim]
    if isinstance(split_size, int):
        if split_size < 1:
            raise ShapeMismatch("split: split_size must be positive")
        lengths = [min(split_size, extent - s) for s in range(0, extent, split_size)] or [0]
    else:
        lengths = list(split_size)
        if sum(lengths) != extent or min(lengths, default=0) < 0:
            raise ShapeMismatch(f"split: sizes {lengths} do not add up to {extent}")
    ends = np.cumsum([0, *lengths]).tolist()
    parts = tuple(_part(x, number, dim, ends) for number in range(len(lengths)))
    return as_one_of_several(parts)


def chunk(x: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size, the last one smaller if need be; of nothing, all."""
    if chunks < 1:
        raise ShapeMismatch("chunk expects a positive number of chunks")
    extent = x.shape[dimension(dim, x.ndim)] if x.ndim else 0
    return split(x, -(-extent // chunks) or [0] * chunks, dim)


def unbind(x: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, as views without that dimension."""
    if x.ndim == 0:
        raise BadDimension("unbind: a 0-d tensor has no dimensions")
    dim = dimension(dim, x.ndim)
    front = (slice(None),) * dim
    return as_one_of_several(tuple(x[(*front, i)] for i in range(x.shape[dim])))
