"""Writing in place.

An in-place operation computes out of place, is refused or writes, and is then recorded *as if* it
had been the functional program: the old value goes in, the tensor becomes the new one. Through a
view this takes one node more. If v = view(b), then `v.op_()` means

    b = CopySlices(b, op(view(b)))

so the base gets a new history, and `View.refresh` gives one to every view when it is next asked
for. When to refuse is PyTorch's rule ("In-place operations with autograd", "Tensor Views").
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import elementwise, indexing, shaping
from .elementwise import raw, where
from .errors import (
    DetachView,
    InplaceDtype,
    InplaceShape,
    LeafInplace,
    OverlappingWrite,
    ShapeMismatch,
    ViewOfLeafInplace,
)
from .graph import Node
from .layout import is_dense
from .leaves import edge_of, set_edge
from .modes import state
from .primitives import Primitive, complete, primitive, record
from .tensor import Array, Tensor, wrap
from .views import View, places, replay

KINDS = "biufc"

copy_slices = primitive(
    "CopySlices", lambda base, value, steps: base, linear=True,
    base=lambda g, steps: where(places(steps, g.shape), 0, g),
    value=lambda g, steps: replay(steps, g, lenient=True),
)  # fmt: skip


def _onto(x: Array, y: Any) -> Array:
    try:
        return np.broadcast_to(y, x.shape)
    except ValueError:
        raise InplaceShape(f"copy of shape {np.shape(y)} into {x.shape}") from None


_copied = primitive(
    "copy", _onto, linear=True, broadcasts=True,
    x=lambda g, x_shape: np.zeros(x_shape),
    y=lambda g: g,
)  # fmt: skip
_filled = primitive(
    "fill", lambda x, value: np.full(x.shape, value), linear=True,
    x=lambda g, x_shape: np.zeros(x_shape),
)  # fmt: skip


def inplace(
    operation: Primitive, self: Tensor, *others: Any, cast: bool = False, **attributes: Any
) -> Tensor:
    """Replace the value of `self` by operation(self, *others) and return `self`.

    Refused, and then nothing has changed: LeafInplace, ViewOfLeafInplace, NoGradViewInplace,
    MultiOutputViewInplace, OverlappingWrite, InplaceShape, InplaceDtype (not with `cast`).
    """
    recording = check_writable(self, others)
    for other in others:
        if isinstance(other, Tensor) and _overlaps_in_part(self.array, other.array):
            raise OverlappingWrite(
                "some elements of the input tensor and the written-to tensor refer to a single "
                "memory location; clone the tensor before writing"
            )
    value = np.asarray(operation.run([self.array, *map(raw, others)], attributes))
    if value.shape != self.shape:
        raise InplaceShape(f"output with shape {self.shape} doesn't match {value.shape}")
    if not cast and KINDS.index(value.dtype.kind.replace("u", "i")) > KINDS.index(
        self.dtype.kind.replace("u", "i")
    ):
        raise InplaceDtype(f"result type {value.dtype} can't be cast to {self.dtype}")
    if not recording:
        _write(self, value)
        return self
    tracked = sum(
        1 << position
        for position, each in enumerate((self, *others))
        if isinstance(each, Tensor) and each.requires_grad
    )
    # Rules that need the old value get a copy: the memory itself is about to change. The others
    # are saved before the write, so that one that shares the memory is found stale in backward.
    _, plan = operation.plan(tracked, 1 + len(others))
    old = self.array.copy() if any(position == 0 for _, position in plan) else self.array
    before = wrap(old, edge=edge_of(self))
    node = record(operation, (before, *others), tracked, attributes, None)
    _write(self, value)
    if node is not None:
        complete(node, wrap(self.array, self.version))
        _rebase(self, node)
    return self


def check_writable(self: Tensor, others: tuple[Any, ...] = ()) -> bool:
    """Raise if `self` must not be written now. Returns whether the write is to be recorded."""
    recording = state.recording and any(
        isinstance(each, Tensor) and each.requires_grad for each in (self, *others)
    )
    if recording:
        if self.origin is not None:
            self.origin.refuse()
            if self.requires_grad and self.origin.base.is_leaf:
                raise ViewOfLeafInplace(
                    "a view of a leaf Variable that requires grad is being used in an in-place "
                    "operation."
                )
        if self.requires_grad and self.is_leaf:
            raise LeafInplace(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
    if any(s == 0 and n > 1 for s, n in zip(self.array.strides, self.shape, strict=True)):
        if self.array.size:
            raise OverlappingWrite(
                "more than one element of the written-to tensor refers to a single memory location"
            )
    return recording


def _overlaps_in_part(written: Array, read: Array) -> bool:
    # As PyTorch: decided for memory without gaps only, anything else is allowed.
    if written is read or not np.may_share_memory(written, read):
        return False
    same = written.__array_interface__["data"] == read.__array_interface__["data"]
    if same and written.shape == read.shape and written.strides == read.strides:
        return False
    return is_dense(written) and is_dense(read)


def _write(self: Tensor, value: Array) -> None:
    np.copyto(self.array, value, casting="unsafe")
    self.version.count += 1


def _rebase(self: Tensor, node: Node) -> None:
    """Make `node` the history of `self`; of a view, by way of its base."""
    if self.origin is None:
        set_edge(self, (node, 0))
        return
    base, steps = self.origin.base, self.origin.steps
    edges = (edge_of(base), (node, 0))
    set_edge(base, (Node(copy_slices, edges, {}, {"steps": steps}, base.array), 0))


# --- arithmetic and functions -------------------------------------------------------------------


def add_(self: Tensor, other: Any) -> Tensor:
    return inplace(elementwise.add, self, other)


def sub_(self: Tensor, other: Any) -> Tensor:
    return inplace(elementwise.sub, self, other)


def mul_(self: Tensor, other: Any) -> Tensor:
    return inplace(elementwise.mul, self, other)


def div_(self: Tensor, other: Any) -> Tensor:
    return inplace(elementwise.div, self, other)


def neg_(self: Tensor) -> Tensor:
    return inplace(elementwise.neg, self)


def exp_(self: Tensor) -> Tensor:
    return inplace(elementwise.exp, self)


def sin_(self: Tensor) -> Tensor:
    return inplace(elementwise.sin, self)


def relu_(self: Tensor) -> Tensor:
    return inplace(elementwise.relu, self)


def sigmoid_(self: Tensor) -> Tensor:
    return inplace(elementwise.sigmoid, self)


def tanh_(self: Tensor) -> Tensor:
    return inplace(elementwise.tanh, self)


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
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
    combine = indexing.reduction(reduce)
    tensor = src if isinstance(src, Tensor | np.ndarray) else None
    dim = indexing.check_index("scatter", self, dim, index, tensor)
    if tensor is None:
        src = self.dtype.type(src)
    _refuse_shared(self, index, src)
    return inplace(indexing.scattered, self, src, index, dim=dim, reduce=combine)


def scatter_add_(self: Tensor, dim: int, index: Any, src: Any) -> Tensor:
    """In-place `scatter_add`."""
    if not isinstance(src, Tensor | np.ndarray):
        raise TypeError(f"scatter_add_: src must be a tensor, not {type(src).__name__}")
    dim = indexing.check_index("scatter_add", self, dim, index, src)
    _refuse_shared(self, index, src)
    return inplace(indexing.scatter_added, self, src, index, dim=dim)


def _refuse_shared(self: Tensor, *others: Any) -> None:
    for other in others:
        if isinstance(raw(other), np.ndarray) and np.may_share_memory(self.array, raw(other)):
            raise OverlappingWrite(
                "some elements of the input tensor and the written-to tensor refer to a single "
                "memory location"
            )


# --- shape and graph ------------------------------------------------------------------------------


def _restrided(self: Tensor, rearrange: Any, *arguments: Any) -> Tensor:
    recording = check_writable(self)
    fresh = rearrange(self, *arguments)
    self.array = fresh.array
    self.version.count += 1
    if self.origin is not None:
        self.origin = View(
            self.origin.base, fresh.origin.steps, self.origin.refusal, self.version.count
        )
    if recording:
        set_edge(self, fresh.edge)
    return self


def t_(self: Tensor) -> Tensor:
    """Transpose this object: every name of it sees the new shape, views of it do not."""
    return _restrided(self, shaping.t)


def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    return _restrided(self, shaping.squeeze, dim)


def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    return _restrided(self, shaping.unsqueeze, dim)


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
