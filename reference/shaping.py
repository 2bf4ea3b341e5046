"""Shapes: views that rearrange dimensions, taking apart and joining, and the matrix product.

A view moves no data, so its rule only puts the gradient back where its elements came from. Names
and error rules follow PyTorch's "Tensor Views".
"""

# ruff: noqa: ARG005, PLW0108  (the parameters of a rule are its declaration)

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from .errors import AutogradError
from .modes import state
from .primitives import Primitive, clone, laid_out, primitive, sum_to
from .tensor import Array, Shape, Tensor, raw
from .views import check_writable, view_primitive

__all__ = [
    "cat", "chunk", "clone", "contiguous", "expand", "flatten", "flip", "matmul", "moveaxis",
    "movedim", "permute", "reshape", "split", "squeeze", "squeeze_", "stack", "swapaxes",
    "swapdims", "t", "t_", "transpose", "unbind", "unsqueeze", "unsqueeze_", "view", "view_as",
]  # fmt: skip

# --- dimensions and sizes -----------------------------------------------------------------------


def dimension(dim: int, ndim: int, least: int = 1) -> int:
    """`dim` counted from the front. Raises dimension; a scalar counts as 1-d, or `least`-d."""
    extent = max(ndim, least)
    if not -extent <= dim < extent:
        bounds = f"[{-extent}, {extent - 1}]"
        raise AutogradError("dimension", f"dimension {dim} is out of range {bounds}")
    return dim % extent


def dimensions(dim: Any, ndim: int) -> Shape:
    """A number, a sequence or None (all) as distinct dimensions counted from the front."""
    if dim is None:
        return tuple(range(ndim))
    chosen = tuple(dimension(d, ndim) for d in ((dim,) if isinstance(dim, int) else dim))
    if len(set(chosen)) != len(chosen):
        raise AutogradError("dimension", f"a dimension appears twice in {dim}")
    return chosen


def sizes(arguments: tuple[Any, ...]) -> Shape:
    """Sizes given one by one or as one sequence."""
    if len(arguments) == 1 and not isinstance(arguments[0], int | np.integer):
        arguments = tuple(arguments[0])
    return tuple(int(size) for size in arguments)


def _resolved(arguments: tuple[Any, ...], numel: int) -> Shape:
    """A shape for so many elements; a -1 becomes the size that fits. Raises shape if none does."""
    shape = sizes(arguments)
    if any(size < -1 for size in shape) or shape.count(-1) > 1:
        raise AutogradError("shape", f"{list(shape)} may leave out one size, as -1")
    known = math.prod(size for size in shape if size != -1)
    if -1 in shape:
        if known == 0 or numel % known:
            raise AutogradError("shape", f"no size fits into {list(shape)} of {numel} elements")
        return tuple(numel // known if size == -1 else size for size in shape)
    if known != numel:
        raise AutogradError("shape", f"{list(shape)} does not have {numel} elements")
    return shape


# --- views: the same elements in another shape --------------------------------------------------


def _view(x: Array, shape: Shape) -> Array:
    try:
        return np.reshape(x, shape, copy=False)
    except ValueError:
        message = f"strides over {list(x.shape)} do not express {list(shape)}; use reshape"
        raise AutogradError("view_incompatible", message) from None


def _expand(x: Array, shape: Shape) -> Array:
    lead = len(shape) - x.ndim
    strides = [0] * lead + [
        step if size == wanted else 0
        for size, step, wanted in zip(x.shape, x.strides, shape[lead:], strict=True)
    ]
    return np.lib.stride_tricks.as_strided(x, shape, strides)


def rearrange(x: Any, shape: Shape) -> Any:
    """A reshape to a shape that is known to fit."""
    if not isinstance(x, Tensor):
        return x.reshape(shape)
    try:
        return _viewed(x, shape=shape)
    except AutogradError:
        return _copied(x, shape=shape)


def _restored(g: Any, x_shape: Shape) -> Any:
    return rearrange(g, x_shape)


_viewed: Primitive = view_primitive("view", _view, x=_restored)
_squeezed: Primitive = view_primitive("squeeze", lambda x, dim: np.squeeze(x, dim), x=_restored)
_unsqueezed: Primitive = view_primitive(
    "unsqueeze", lambda x, dim: np.expand_dims(x, dim), x=_restored
)
_copied: Primitive = primitive(
    "reshape", lambda x, shape: np.array(np.reshape(x, shape), order="C"), x=_restored
)
_permuted: Primitive = view_primitive(
    "permute", lambda x, dims: x.transpose(dims),
    x=lambda g, dims: _permuted(g, dims=tuple(map(dims.index, range(g.ndim)))),
)  # fmt: skip
_transposed: Primitive = view_primitive(
    "transpose", lambda x, a, b: x.swapaxes(a, b), x=lambda g, a, b: _transposed(g, a=a, b=b)
)
_expanded: Primitive = view_primitive(
    "expand", _expand, x=lambda g, x_shape: sum_to(g, shape=x_shape)
)


def view(x: Any, *shape: Any) -> Any:
    """The same memory in another shape, of which one size may be -1.

    Raises shape if the sizes do not fit, view_incompatible if only a copy could do it.
    """
    if not shape:
        raise AutogradError("argument", "view needs a shape")
    return _viewed(x, shape=_resolved(shape, raw(x).size))


def view_as(x: Any, other: Any) -> Any:
    """`x` viewed in the shape of `other`."""
    return view(x, other.shape)


def reshape(x: Any, *shape: Any) -> Any:
    """The same elements in row-major order; shares memory exactly when `view` would succeed."""
    return rearrange(x, _resolved(shape, raw(x).size))


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions start_dim..end_dim become one. A scalar becomes 1-d."""
    first, last = dimension(start_dim, x.ndim), dimension(end_dim, x.ndim)
    if first > last:
        raise AutogradError("shape", "flatten: start_dim comes after end_dim")
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
        raise AutogradError("dimension", f"permute: {len(order)} dimensions for {x.ndim}")
    return _permuted(x, dims=order)


def transpose(x: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions exchanged."""
    a, b = dimension(dim0, x.ndim), dimension(dim1, x.ndim)
    return _transposed(x, a=a, b=b) if x.ndim else _viewed(x, shape=())


def t(x: Any) -> Any:
    """A matrix transposed; vectors and scalars as they are. Raises shape above 2-d."""
    if x.ndim > 2:
        raise AutogradError("shape", f"t() takes a matrix, not {x.ndim} dimensions")
    return transpose(x, 0, 1) if x.ndim == 2 else _viewed(x, shape=x.shape)


swapaxes = swapdims = transpose


def movedim(x: Any, source: Any, destination: Any) -> Any:
    """Dimensions `source` taken out and put back at `destination`; the others keep their order."""
    taken, put = dimensions(source, x.ndim), dimensions(destination, x.ndim)
    if len(taken) != len(put):
        raise AutogradError("dimension", "movedim: source and destination differ in length")
    order = [axis for axis in range(x.ndim) if axis not in taken]
    for target, axis in sorted(zip(put, taken, strict=True)):
        order.insert(target, axis)
    return _permuted(x, dims=tuple(order[: x.ndim]))  # a scalar has an axis to name, and none


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
    wanted = list(sizes(shape))
    extra = len(wanted) - x.ndim
    for axis, size in enumerate(x.shape, extra):
        if axis >= 0 and wanted[axis] == -1:
            wanted[axis] = size
    fits = extra >= 0 and all(
        size in (1, full) for size, full in zip(x.shape, wanted[extra:], strict=True)
    )
    if not fits or min(wanted, default=0) < 0:
        raise AutogradError("shape", f"{list(x.shape)} does not expand to {list(shape)}")
    return _expanded(x, shape=tuple(wanted))


# --- in place: the object changes its shape, other views of the memory do not ---------------------


def _in_place(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The twin of a view that gives its first argument, this object, the shape of the view."""

    def twin(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        view = operation(self, *arguments, **options)
        recording = state.recording and self.requires_grad
        check_writable(self, recording=recording, entries=False)
        self.array = view.array
        self.version.count += 1
        if recording:
            self.set_edge(view.edge)
            if self.origin is not None:
                self.origin.seen = self.version.count
        return self

    twin.__name__ = f"{operation.__name__}_"
    twin.__doc__ = f"`self` becomes {operation.__name__}(self, ...)."
    return twin


t_ = _in_place(t)
squeeze_ = _in_place(squeeze)
unsqueeze_ = _in_place(unsqueeze)

# --- copies and joins ---------------------------------------------------------------------------


def _part(g: Any, position: int, dim: int, starts: Shape) -> Any:
    return g[(slice(None),) * dim + (slice(starts[position], starts[position + 1]),)]


_contiguous: Primitive = primitive("contiguous", lambda x: np.array(x, order="C"), x=lambda g: g)
_concatenated: Primitive = primitive(
    "cat", lambda *rest, dim, starts: np.ascontiguousarray(np.concatenate(rest, dim)), rest=_part
)
_flipped: Primitive = primitive(
    "flip", lambda x, dims: laid_out(np.flip(x, dims), x),
    x=lambda g, dims: _flipped(g, dims=dims),
)  # fmt: skip


def contiguous(x: Any) -> Any:
    """`x` itself if its memory is row-major without gaps, else a copy that is."""
    return x if x.is_contiguous() else _contiguous(x)


def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one after the other along `dim`. Raises shape if they differ elsewhere."""
    tensors = tuple(tensors)
    if len({each.ndim for each in tensors}) != 1 or tensors[0].ndim == 0:
        raise AutogradError("shape", "cat takes tensors, at least one, of one rank, at least 1")
    dim = dimension(dim, tensors[0].ndim)
    starts = accumulate((each.shape[dim] for each in tensors), initial=0)
    return _concatenated(*tensors, dim=dim, starts=tuple(starts))


def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension `dim`."""
    tensors = tuple(tensors)
    if len({each.shape for each in tensors}) != 1:
        raise AutogradError("shape", "stack takes tensors of equal shape, at least one")
    return cat([unsqueeze(each, dim) for each in tensors], dimension(dim, tensors[0].ndim + 1))


def flip(x: Any, *dims: Any) -> Any:
    """A copy with the order along `dims` reversed."""
    chosen = dimensions(sizes(dims), x.ndim)
    return _flipped(x, dims=chosen if x.ndim else ())


# --- several views at once ------------------------------------------------------------------------


def _together(views: list[Tensor]) -> tuple[Tensor, ...]:
    """Mark views returned together: writing one would have to rewrite the history of all."""
    for each in views:
        each.origin.refusal = each.origin.refusal or "multi_output_view_inplace"
    return tuple(views)


def split(x: Any, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Consecutive views of `split_size` (the last may be smaller), or of the sizes listed."""
    if x.ndim == 0:
        raise AutogradError("shape", "split takes at least one dimension")
    dim = dimension(dim, x.ndim)
    extent = x.shape[dim]
    if isinstance(split_size, int):
        if split_size < 1:
            raise AutogradError("shape", "split: split_size must be positive")
        lengths = [min(split_size, extent - s) for s in range(0, extent, split_size)] or [0]
    else:
        lengths = list(split_size)
        if sum(lengths) != extent or min(lengths, default=0) < 0:
            raise AutogradError("shape", f"split: sizes {lengths} do not add up to {extent}")
    starts = tuple(accumulate(lengths, initial=0))
    return _together([_part(x, n, dim, starts) for n in range(len(lengths))])


def chunk(x: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size, the last one smaller if need be; of nothing, all."""
    if chunks < 1:
        raise AutogradError("shape", "chunk takes a positive number of chunks")
    extent = x.shape[dimension(dim, x.ndim)] if x.ndim else 0
    return split(x, -(-extent // chunks) or [0] * chunks, dim)


def unbind(x: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, as views without that dimension."""
    dim = dimension(dim, x.ndim, least=0)
    front = (slice(None),) * dim
    return _together([x[(*front, i)] for i in range(x.shape[dim])])


# --- the matrix product -------------------------------------------------------------------------


def _adjoint(x: Any) -> Any:
    return transpose(x, -1, -2) if isinstance(x, Tensor) else x.swapaxes(-1, -2)


_matmul: Primitive = primitive(
    "matmul", np.matmul, broadcasts=True,
    x=lambda g, y: _matmul(g, _adjoint(y)),
    y=lambda g, x: _matmul(_adjoint(x), g),
)  # fmt: skip


def matmul(x: Any, y: Any) -> Any:
    """The matrix product.

    Leading dimensions broadcast; a vector is a row on the left and a column on the right, and its
    dimension is dropped again. Raises shape, also for scalars.
    """
    if x.ndim == 0 or y.ndim == 0:
        raise AutogradError("shape", "matmul takes at least one dimension on both sides")
    out = _matmul(unsqueeze(x, 0) if x.ndim == 1 else x, unsqueeze(y, 1) if y.ndim == 1 else y)
    if y.ndim == 1:
        out = squeeze(out, -1)
    return squeeze(out, -1 if y.ndim == 1 else -2) if x.ndim == 1 else out
