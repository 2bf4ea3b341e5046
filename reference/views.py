"""Views: tensors that share memory, and writing to it in place.

Up to here everything was functional: an operation made new memory. A view is a tensor on the
memory of another, its base, and so are the views of a view. Writing in place stays functional all
the same: it computes out of place, is refused or writes, and is then recorded *as if* the old value
had gone in and the tensor had become the new one. Through a view v of b this takes one node more,

    b = CopySlices(b, op(part(b)))

so that the base gets a new history. The nodes of its views are out of date then, whatever alias was
written through; each is recorded anew, as v = part(b), when it is next asked for. When to refuse is
PyTorch's rule ("In-place operations with autograd", "Tensor Views").
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .errors import AutogradError, Kind
from .graph import Edge
from .modes import state
from .primitives import Primitive, Saved, is_dense, primitive, record, sum_to
from .tensor import Array, Shape, Tensor, raw, wrap

MADE: dict[Kind, str] = {
    "no_grad_view_inplace": "a view made under no_grad",
    "multi_output_view_inplace": "one of several views returned by one function",
    "custom_view_inplace": "an input that a Function returned",
}
"""How a view was made whose history cannot be rewritten, by the kind of the refusal."""


class View:
    """The base of a view, never itself a view, and the version of the memory its edge belongs to.

    `refusal` says which error a recorded write meets, if the history cannot be rewritten.
    """

    __slots__ = ("base", "refusal", "seen")

    def __init__(self, source: Tensor, refusal: Kind | None = None) -> None:
        self.base = source
        self.refusal = refusal or (None if state.recording else "no_grad_view_inplace")
        self.seen = source.version.count
        if source.origin is not None:
            self.base = source.origin.base
            self.refusal = self.refusal or source.origin.refusal

    def refuse(self) -> None:
        """Raise if the history of this view cannot be rewritten."""
        if self.refusal is not None:
            made = MADE[self.refusal]
            raise AutogradError(self.refusal, f"{made}, or its base, is written while recording")

    def refresh(self, view: Tensor) -> None:
        """Record anew that `view` is a part of its base, if the memory was written since."""
        if self.seen == view.version.count:
            return
        if (view.edge is not None or self.base.requires_grad) and self.holds(view):
            self.refuse()
            attributes = {"view": layout(view.array), "base": layout(self.base.array)}
            view.set_edge(record(part, (self.base,), 1, attributes, view))
        self.seen = view.version.count

    def holds(self, view: Tensor) -> bool:
        """Whether the view lies in its base: assigning `.data` to either gives it other memory."""
        return np.may_share_memory(view.array, self.base.array) or view.array.size == 0


class ViewPrimitive(Primitive):
    """A primitive whose result lies in the memory of its argument, of which there is one."""

    __slots__ = ()

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Compute, say what this is a view of, and record if the argument is tracked."""
        (x,) = inputs
        value = super().__call__(raw(x), **attributes)
        if not isinstance(x, Tensor):
            return value
        out = wrap(value, x.version)
        out.origin = View(x)
        if state.recording and x.requires_grad:
            out.edge = record(self, inputs, 1, attributes, out)
        return out


view_primitive = ViewPrimitive.define

# --- parts of memory ------------------------------------------------------------------------------

Layout = tuple[int, Shape, Shape]


def layout(array: Array) -> Layout:
    """Where the elements of an array lie in memory: the address, the shape and the strides."""
    return array.__array_interface__["data"][0], array.shape, array.strides


def _image(x: Array, dtype: Any, view: Layout, base: Layout) -> tuple[Array, Array]:
    """Memory in which `x` lies as a base did, as this base and a view of it show it.

    It is a row of cells; from one to the next is the widest step that leads to every element.
    """
    start, shape, strides = base
    cell = math.gcd(view[0] - start, *view[2], *strides) or 1
    reach = [step * (size - 1) for size, step in zip(shape, strides, strict=True)]
    low = start + sum(each for each in reach if each < 0)
    memory = np.empty(sum(map(abs, reach)) // cell + 1, dtype)

    def shown(start: int, shape: Shape, strides: Shape) -> Array:
        first = (start - low) // cell * memory.itemsize
        steps = [step // cell * memory.itemsize for step in strides]
        return np.ndarray(shape, dtype, memory, first, steps)

    whole = shown(*base)
    whole[...] = x
    return whole, shown(*view)


def _part(x: Array, view: Layout, base: Layout) -> Array:
    if 0 in view[1]:
        return np.empty(view[1], x.dtype)
    return _image(x, x.dtype, view, base)[1].copy()


def _put(x: Array, value: Any, view: Layout, base: Layout) -> Array:
    if 0 in view[1]:
        return np.array(x, np.result_type(x, value), order="C")
    whole, piece = _image(x, np.result_type(x, value), view, base)
    piece[...] = value
    return whole.copy()


def _part_rule(g: Any, x_shape: Shape, view: Layout, base: Layout) -> Any:
    # What a view repeats, by strides of 0, hears the sum of what arrives for it.
    start, shape, strides = view
    shape = tuple(1 if step == 0 else size for size, step in zip(shape, strides, strict=True))
    once, g = (start, shape, strides), sum_to(g, shape=shape)
    return put(np.zeros(x_shape, g.dtype), g, view=once, base=base)


# Reading a part of the memory and writing there are adjoint to each other.
part: Primitive = primitive("part", _part, x=_part_rule)
put: Primitive = primitive(
    "CopySlices", _put,
    x=lambda g, view, base: put(g, 0, view=view, base=base),
    value=lambda g, view, base: part(g, view=view, base=base),
)  # fmt: skip


# --- writing in place -----------------------------------------------------------------------------

KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # a result may be cast within its kind, or up


def inplace(
    operation: Primitive, self: Tensor, *others: Any, cast: bool = False, **attributes: Any
) -> Tensor:
    """Replace the value of `self` by operation(self, *others) and return `self`.

    Refused, and then nothing has changed: leaf_inplace, view_of_leaf_inplace, no_grad_view_inplace,
    multi_output_view_inplace, overlapping_write, inplace_shape, inplace_dtype (not with `cast`).
    """
    tracked = sum(
        1 << position
        for position, each in enumerate((self, *others))
        if state.recording and isinstance(each, Tensor) and each.requires_grad
    )
    check_writable(self, recording=tracked != 0)
    for other in others:
        if isinstance(other, Tensor) and _overlaps_in_part(self.array, other.array):
            raise AutogradError("overlapping_write", "an operand overlaps the tensor written")
    value = np.asarray(operation(self.array, *map(raw, others), **attributes))
    if value.shape != self.shape:
        raise AutogradError("inplace_shape", f"{value.shape} does not fit into {self.shape}")
    if not cast and KINDS[value.dtype.kind] > KINDS[self.dtype.kind]:
        raise AutogradError("inplace_dtype", f"{value.dtype} can't be cast to {self.dtype}")
    edge, after = None, wrap(self.array, self.version)
    if tracked:
        # Rules that need the old value get a copy: the memory itself is about to change. The others
        # are saved before the write, so that one that shares the memory is found stale in backward.
        _, plan = operation.plan(tracked, 1 + len(others))
        old = self.array.copy() if any(position == 0 for _, position in plan) else self.array
        before = wrap(old, edge=self.gradient_edge())
        edge = record(operation, (before, *others), tracked, attributes, after)
    np.copyto(self.array, value, casting="unsafe")
    self.version.count += 1
    if edge is not None:
        _rewrite(self, after, edge)
    return self


def _rewrite(self: Tensor, after: Tensor, edge: Edge) -> None:
    """Make the node of a write the history of what was written; of a view, by way of its base."""
    saved = edge[0].kept()
    if "out" in saved:
        saved["out"] = Saved(after, 0)
    after.edge = edge
    if self.origin is not None and self.origin.holds(self):
        base = self.origin.base
        attributes = {"view": layout(self.array), "base": layout(base.array)}
        base.set_edge(record(put, (base, after), 2 + base.requires_grad, attributes, base))
        if base.edge is not None:
            base.edge[0].kept()["view"] = attributes["view"]  # so a pass frees it, as in PyTorch
        if self.retains:
            self.origin.refresh(self)  # what it retains is the gradient of its value from now on
    else:
        self.set_edge(edge)


def check_writable(self: Tensor, *, recording: bool, entries: bool = True) -> None:
    """Raise if `self` must not be written now: its `entries`, or its shape alone."""
    if recording:
        if self.origin is not None:
            self.origin.refuse()
            if self.requires_grad and self.origin.base.is_leaf:
                raise AutogradError("view_of_leaf_inplace", "a view of a leaf is written")
        if self.requires_grad and self.is_leaf:
            raise AutogradError("leaf_inplace", "a leaf that requires grad is written")
    if not entries:
        return
    overlaps = (s == 0 and n > 1 for s, n in zip(self.array.strides, self.shape, strict=True))
    if self.array.size and any(overlaps):
        raise AutogradError("overlapping_write", "elements of the tensor written share memory")


def _overlaps_in_part(written: Array, read: Array) -> bool:
    # As PyTorch: decided for memory without gaps only, anything else is allowed.
    if not np.may_share_memory(written, read) or layout(written) == layout(read):
        return False
    return is_dense(written) and is_dense(read)
