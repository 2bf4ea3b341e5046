"""Rearranging without moving data.

A view moves no data, so its rule only puts the gradient back where its elements came from; the
results share memory and version with their argument. Names and error rules follow PyTorch's
"Tensor Views".
"""

# ruff: noqa: PLW0108  (the parameters of a rule are its declaration)

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .errors import BadDimension, ShapeMismatch, ViewIncompatible
from .primitives import Primitive, primitive
from .tensor import Array, Tensor

Shape = tuple[int, ...]


def dimension(dim: int, ndim: int) -> int:
    """`dim` counted from the front. Raises BadDimension; a 0-d tensor counts as 1-d."""
    extent = max(ndim, 1)
    if not -extent <= dim < extent:
        raise BadDimension(
            f"Dimension out of range (expected to be in range of [{-extent}, {extent - 1}], "
            f"but got {dim})"
        )
    return dim % extent


def dimensions(dim: Any, ndim: int) -> Shape:
    """A number, a sequence or None (all) as distinct dimensions counted from the front."""
    if dim is None:
        return tuple(range(ndim))
    chosen = tuple(dimension(d, ndim) for d in ((dim,) if isinstance(dim, int) else dim))
    if len(set(chosen)) != len(chosen):
        raise BadDimension(f"a dimension appears twice in {dim}")
    return chosen


def sizes(arguments: tuple[Any, ...]) -> Shape:
    """Sizes given one by one or as one sequence."""
    if len(arguments) == 1 and not isinstance(arguments[0], int | np.integer):
        arguments = tuple(arguments[0])
    return tuple(int(size) for size in arguments)


def _resolved(shape: Shape, numel: int) -> Shape:
    """Replace a -1 by the size that fits. Raises ShapeMismatch if none does."""
    if any(size < -1 for size in shape):
        raise ShapeMismatch(f"invalid shape dimension in {list(shape)}")
    if shape.count(-1) > 1:
        raise ShapeMismatch("only one dimension can be inferred")
    known = math.prod(size for size in shape if size != -1)
    if -1 in shape:
        if known == 0 and numel == 0:
            raise ShapeMismatch(f"cannot infer the unspecified size in {list(shape)}: ambiguous")
        if known == 0 or numel % known:
            raise ShapeMismatch(f"shape {list(shape)} is invalid for input of size {numel}")
        return tuple(numel // known if size == -1 else size for size in shape)
    if known != numel:
        raise ShapeMismatch(f"shape {list(shape)} is invalid for input of size {numel}")
    return shape


# --- views: the same elements in another shape --------------------------------------------------


def _view(x: Array, shape: Shape) -> Array:
    try:
        return np.reshape(x, shape, copy=False)
    except ValueError:
        raise ViewIncompatible(
            f"view {list(shape)} cannot be expressed by strides over {x.shape}; use reshape"
        ) from None


def rearrange(x: Any, shape: Shape) -> Any:
    """What rules and replays use: a reshape to a shape that is known to fit."""
    if not isinstance(x, Tensor):
        return np.reshape(x, shape)
    if x.array.shape == shape:
        return x
    try:
        return _viewed(x, shape=shape)
    except ViewIncompatible:
        return _copied(x, shape=shape)


_viewed: Primitive = primitive(
    "view", _view, linear=True, view=True, lenient=rearrange,
    x=lambda g, x_shape: rearrange(g, x_shape),
)  # fmt: skip
_copied: Primitive = primitive(
    "reshape", lambda x, shape: np.array(np.reshape(x, shape), order="C"), linear=True,
    x=lambda g, x_shape: rearrange(g, x_shape),
)  # fmt: skip
_squeezed: Primitive = primitive(
    "squeeze", lambda x, dim: np.squeeze(x, dim), linear=True, view=True,
    x=lambda g, x_shape: rearrange(g, x_shape),
)  # fmt: skip
_unsqueezed: Primitive = primitive(
    "unsqueeze", lambda x, dim: np.expand_dims(x, dim), linear=True, view=True,
    x=lambda g, x_shape: rearrange(g, x_shape),
)  # fmt: skip
_permuted: Primitive = primitive(
    "permute", lambda x, dims: x.transpose(dims), linear=True, view=True,
    x=lambda g, dims: _permuted(g, dims=tuple(np.argsort(dims).tolist())),
)  # fmt: skip
_transposed: Primitive = primitive(
    "transpose", lambda x, a, b: x.swapaxes(a, b), linear=True, view=True,
    x=lambda g, a, b: _transposed(g, a=a, b=b),
)  # fmt: skip
_expanded: Primitive = primitive(
    "expand", lambda x, shape: np.lib.stride_tricks.as_strided(*_stretched(x, shape)),
    linear=True, view=True,
    x=lambda g, x_shape: sum_to(g, x_shape),
)  # fmt: skip


def _stretched(x: Array, shape: Shape) -> tuple[Array, Shape, Shape]:
    strides = [0] * (len(shape) - x.ndim) + list(x.strides)
    for position, size in enumerate(x.shape, len(shape) - x.ndim):
        if size != shape[position]:
            strides[position] = 0
    return x, shape, tuple(strides)


def spread(x: Any, shape: Shape) -> Any:
    """`x` broadcast to `shape`, for rules: read-only where `x` is an array."""
    return _expanded(x, shape=shape) if isinstance(x, Tensor) else np.broadcast_to(x, shape)


def sum_to(g: Any, shape: Shape) -> Any:
    """The adjoint of broadcasting: `g` summed to `shape` (itself if it has that shape)."""
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        axis for axis, size in enumerate(shape, extra) if size == 1 and g.shape[axis] != 1
    )
    if axes:
        g = g.sum(axes) if isinstance(g, Tensor) else g.sum(axis=axes)
    return g if g.shape == shape else rearrange(g, shape)


def view(x: Any, *shape: Any) -> Any:
    """The same memory in another shape, of which one size may be -1.

    Raises ShapeMismatch if the sizes do not fit, ViewIncompatible if only a copy could do it.
    """
    if not shape:
        raise TypeError("view needs a shape")
    return _viewed(x, shape=_resolved(sizes(shape), x.array.size))


def view_as(x: Any, other: Any) -> Any:
    """`x` viewed in the shape of `other`."""
    return view(x, other.shape)


def reshape(x: Any, *shape: Any) -> Any:
    """The same elements in row-major order; shares memory exactly when `view` would succeed."""
    fitted = _resolved(sizes(shape), x.array.size)
    try:
        return _viewed(x, shape=fitted)
    except ViewIncompatible:
        return _copied(x, shape=fitted)


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions start_dim..end_dim become one. A 0-d tensor becomes 1-d."""
    first, last = dimension(start_dim, x.ndim), dimension(end_dim, x.ndim)
    if first > last:
        raise ShapeMismatch("flatten: start_dim comes after end_dim")
    if x.ndim == 0:
        return reshape(x, 1)
    if first == last:
        return x
    merged = math.prod(x.shape[first : last + 1])
    return reshape(x, *x.shape[:first], merged, *x.shape[last + 1 :])


def permute(x: Any, *dims: Any) -> Any:
    """Dimensions in the order `dims`, which names each once."""
    order = dimensions(sizes(dims), x.ndim)
    if len(order) != x.ndim:
        raise BadDimension(f"permute: {len(order)} dimensions for a {x.ndim}-d tensor")
    return _permuted(x, dims=order)


def transpose(x: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions exchanged."""
    a, b = dimension(dim0, x.ndim), dimension(dim1, x.ndim)
    return _viewed(x, shape=()) if x.ndim == 0 else _transposed(x, a=a, b=b)


def t(x: Any) -> Any:
    """A matrix transposed; vectors and scalars as they are. Raises ShapeMismatch above 2-d."""
    if x.ndim > 2:
        raise ShapeMismatch(f"t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D")
    return _transposed(x, a=0, b=1) if x.ndim == 2 else _permuted(x, dims=tuple(range(x.ndim)))


swapaxes = swapdims = transpose


def movedim(x: Any, source: Any, destination: Any) -> Any:
    """Dimensions `source` taken out and put back at `destination`; the others keep their order."""
    taken, put = dimensions(source, x.ndim), dimensions(destination, x.ndim)
    if len(taken) != len(put):
        raise BadDimension("movedim: source and destination differ in length")
    order = [axis for axis in range(x.ndim) if axis not in taken]
    for target, axis in sorted(zip(put, taken, strict=True)):
        order.insert(target, axis)
    return _permuted(x, dims=tuple(order))


moveaxis = movedim


def squeeze(x: Any, dim: Any = None) -> Any:
    """Without the dimensions of size 1, or without those named in `dim` that have size 1."""
    chosen = dimensions(dim, x.ndim)
    return _squeezed(x, dim=tuple(d for d in chosen if d < x.ndim and x.shape[d] == 1))


def unsqueeze(x: Any, dim: int) -> Any:
    """With a new dimension of size 1 at `dim`."""
    return _unsqueezed(x, dim=dimension(dim, x.ndim + 1))


def expand(x: Any, *shape: Any) -> Any:
    """Dimensions of size 1 repeated without copying; -1 keeps a size. Not writable in place."""
    wanted = sizes(shape)
    extra = len(wanted) - x.ndim
    if extra < 0:
        raise ShapeMismatch(f"expand: {list(wanted)} has fewer dimensions than {list(x.shape)}")
    full = list(wanted)
    for axis, size in enumerate(x.shape, extra):
        if full[axis] == -1:
            full[axis] = size
        elif full[axis] != size and size != 1:
            raise ShapeMismatch(f"expand: {list(x.shape)} does not expand to {list(wanted)}")
    if min(full, default=0) < 0:
        raise ShapeMismatch(f"expand: invalid shape {list(wanted)}")
    return _expanded(x, shape=tuple(full))
