"""Writing in place.

An in-place operation computes out of place, is refused or writes, and is then recorded *as if* it
had been the functional program: the old value goes in, the tensor becomes the new one. Through a
view this takes one node more. If v = view(b), then `v.op_()` means

    b = CopySlices(b, op(view(b)))

so the base gets a new history, and `View.refresh` gives one to every view when it is next asked
for. When to refuse is PyTorch's rule ("In-place operations with autograd", "Tensor Views").
"""

# ruff: noqa: ARG005  (the parameters of a rule are its declaration)

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import raw, where
from .errors import InplaceDtype, InplaceShape, LeafInplace, OverlappingWrite, ViewOfLeafInplace
from .graph import Node
from .layout import is_dense
from .leaves import edge_of, set_edge
from .modes import state
from .primitives import Primitive, complete, primitive, record
from .tensor import Array, Tensor, wrap
from .views import places, replay

KINDS = "biufc"

copy_slices: Primitive = primitive(
    "CopySlices", lambda base, value, steps: base, linear=True,
    base=lambda g, steps: where(places(steps, g.shape), 0, g),
    value=lambda g, steps: replay(steps, g, lenient=True),
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
    _, plan = operation.plans[tracked, 1 + len(others)]
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
    overlaps = (s == 0 and n > 1 for s, n in zip(self.array.strides, self.shape, strict=True))
    if self.array.size and any(overlaps):
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
