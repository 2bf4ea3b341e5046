"""The operations that end in an underscore, and assignment. How writing works: `writing.py`."""

# ruff: noqa: ARG005  (the parameters of a rule are its declaration)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import elementwise, indexing, scatter, shaping
from .elementwise import raw
from .errors import DetachView, InplaceShape, NotATensor, OverlappingWrite, ShapeMismatch
from .leaves import set_edge
from .primitives import Primitive, primitive
from .tensor import Array, Tensor, wrap
from .views import View
from .writing import check_writable, inplace


def _onto(x: Array, y: Any) -> Array:
    try:
        return np.broadcast_to(y, x.shape)
    except ValueError:
        raise InplaceShape(f"copy of shape {np.shape(y)} into {x.shape}") from None


_copied: Primitive = primitive(
    "copy", _onto, linear=True, broadcasts=True,
    x=lambda g, x_shape: np.zeros(x_shape),
    y=lambda g: g,
)  # fmt: skip
_filled: Primitive = primitive(
    "fill", lambda x, value: np.full(x.shape, value), linear=True,
    x=lambda g, x_shape: np.zeros(x_shape),
)  # fmt: skip

# --- arithmetic and functions -------------------------------------------------------------------


def add_(self: Tensor, other: Any) -> Tensor:
    """`self` becomes self + other."""
    return inplace(elementwise.add, self, other)


def sub_(self: Tensor, other: Any) -> Tensor:
    """`self` becomes self - other."""
    return inplace(elementwise.sub, self, other)


def mul_(self: Tensor, other: Any) -> Tensor:
    """`self` becomes self * other."""
    return inplace(elementwise.mul, self, other)


def div_(self: Tensor, other: Any) -> Tensor:
    """`self` becomes self / other."""
    return inplace(elementwise.div, self, other)


def neg_(self: Tensor) -> Tensor:
    """`self` becomes -self."""
    return inplace(elementwise.neg, self)


def exp_(self: Tensor) -> Tensor:
    """`self` becomes exp(self)."""
    return inplace(elementwise.exp, self)


def sin_(self: Tensor) -> Tensor:
    """`self` becomes sin(self)."""
    return inplace(elementwise.sin, self)


def relu_(self: Tensor) -> Tensor:
    """`self` becomes relu(self)."""
    return inplace(elementwise.relu, self)


def sigmoid_(self: Tensor) -> Tensor:
    """`self` becomes sigmoid(self)."""
    return inplace(elementwise.sigmoid, self)


def tanh_(self: Tensor) -> Tensor:
    """`self` becomes tanh(self)."""
    return inplace(elementwise.tanh, self)


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`self` becomes clamp(self, min, max)."""
    if min is None and max is None:
        raise ValueError("clamp_ needs min, max or both")
    return inplace(elementwise.clamped, self, low=raw(min), high=raw(max))


# --- assignment -----------------------------------------------------------------------------------


def fill_(self: Tensor, value: Any) -> Tensor:
    """Every element becomes `value`, a number or a 0-d tensor (which gets the gradient)."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise ShapeMismatch("fill_ only supports a 0-d value tensor")
        return copy_(self, value)
    return inplace(_filled, self, cast=True, value=value)


def zero_(self: Tensor) -> Tensor:
    """`self` becomes 0 everywhere."""
    return fill_(self, 0)


def copy_(self: Tensor, source: Any) -> Tensor:
    """The elements of `source`, broadcast and cast. Its gradient goes to `source` alone."""
    return inplace(_copied, self, source, cast=True)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`self[key] = value`: through a view for a basic key, else an in-place index_put."""
    items, basic = indexing.normal_key(key)
    if not basic:
        template, arrays = indexing.apart(items)
        inplace(
            indexing.put_at, self, value, *arrays, cast=True, template=template, accumulate=False
        )
        return
    target = indexing.index(self, items)
    if isinstance(value, np.ndarray):
        value = wrap(value)
    if not isinstance(value, Tensor):
        fill_(target, value) if np.ndim(value) == 0 else copy_(target, Tensor(value))
        return
    while value.ndim > target.ndim and value.shape[0] == 1:
        value = value[0]
    copy_(target, value)


def scatter_(self: Tensor, dim: int, index: Any, src: Any, reduce: str = "") -> Tensor:
    """In-place `scatter`; self may share no memory at all with index and src."""
    combine = scatter.reduction(reduce)
    tensor = src if isinstance(src, Tensor | np.ndarray) else None
    dim = scatter.check_index("scatter", self, dim, index, tensor)
    if tensor is None:
        src = self.dtype.type(src)
    _refuse_shared(self, index, src)
    return inplace(scatter.scattered, self, src, index, dim=dim, reduce=combine)


def scatter_add_(self: Tensor, dim: int, index: Any, src: Any) -> Tensor:
    """In-place `scatter_add`."""
    if not isinstance(src, Tensor | np.ndarray):
        raise NotATensor(f"scatter_add_: src must be a tensor, not {type(src).__name__}")
    dim = scatter.check_index("scatter_add", self, dim, index, src)
    _refuse_shared(self, index, src)
    return inplace(scatter.scatter_added, self, src, index, dim=dim)


def _refuse_shared(self: Tensor, *others: Any) -> None:
    for other in others:
        if isinstance(raw(other), np.ndarray) and np.may_share_memory(self.array, raw(other)):
            raise OverlappingWrite(
                "some elements of the input tensor and the written-to tensor refer to a single "
                "memory location"
            )


# --- shape and graph ------------------------------------------------------------------------------


def _turned(self: Tensor, turn: Callable[[Any], Any], back: Callable[[Any], Any]) -> Tensor:
    """Give `self` the shape of `turn(self)`, from which `back` leads to the shape it had."""
    recording = check_writable(self)
    fresh = turn(self)
    taken_back = back(wrap(fresh.array)).origin.steps
    self.array = fresh.array
    self.version.count += 1
    if self.origin is None:
        self.turns += taken_back
    else:
        self.origin = View(
            self.origin.base, fresh.origin.steps, self.origin.refusal, self.version.count
        )
    if recording:
        set_edge(self, fresh.edge)
    return self


def t_(self: Tensor) -> Tensor:
    """Transpose this object: every name of it sees the new shape, views of it do not."""
    return _turned(self, shaping.t, shaping.t)


def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """`self` becomes self without dimensions of size 1."""
    shape = self.shape
    return _turned(self, lambda x: shaping.squeeze(x, dim), lambda x: shaping.view(x, shape))


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """`self` becomes self with a dimension of size 1 at `dim`."""
    shape = self.shape
    return _turned(self, lambda x: shaping.unsqueeze(x, dim), lambda x: shaping.view(x, shape))


def detach(self: Tensor) -> Tensor:
    """An untracked alias: same memory, same version counter, no history, not a view."""
    return wrap(self.array, self.version)


def detach_(self: Tensor) -> Tensor:
    """Cut this tensor from its history. Raises DetachView on a view."""
    if self.origin is not None:
        raise DetachView("Can't detach views in-place. Use detach() instead.")
    set_edge(self, None)
    self.tracked = False
    return self
