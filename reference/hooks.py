"""Hooks: being told of, and changing, a gradient on its way, or a value that is saved for backward.

A hook on a non-leaf belongs to the node and output that computed it: after an in-place operation
it still sees the gradient of the former value, while `retain_grad` follows the tensor.
"""

# ruff: noqa: N801  (names are PyTorch's)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from .errors import AutogradError
from .graph import Hooks
from .modes import Pack, state
from .tensor import AccumulateGrad, Tensor

Hook = Callable[[Tensor], Any]


class Handle:
    """Takes a hook away again."""

    def __init__(self, hooks: Hooks, slot: int, hook: Hook) -> None:
        self._hooks, self._key = hooks, object()
        hooks[self._key] = slot, hook

    def remove(self) -> None:
        """Stop calling the hook; a second call does nothing."""
        self._hooks.pop(self._key, None)


def register_hook(self: Tensor, hook: Hook) -> Handle:
    """Call `hook(gradient)` once per backward with all of this tensor's gradient.

    A tensor of the same shape and dtype that it returns replaces the gradient. Raises no_graph.
    """
    if not self.requires_grad:
        raise AutogradError("no_graph", "a hook needs a tensor that requires grad")
    node, slot = self.gradient_edge() or (AccumulateGrad(self), 0)
    if node.hooks is None:
        node.hooks = {}
    return Handle(node.hooks, slot, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Hook) -> Handle:
    """Call `hook(leaf)` after each addition to `leaf.grad`. Raises no_graph, nonleaf_hook."""
    if not self.requires_grad:
        raise AutogradError("no_graph", "a hook needs a tensor that requires grad")
    if not self.is_leaf:
        raise AutogradError("nonleaf_hook", "only leaves have post accumulate grad hooks")
    if self.post_hooks is None:
        self.post_hooks = {}
    return Handle(self.post_hooks, 0, hook)


class saved_tensors_hooks:
    """Within the block, keep `pack(tensor)` instead of each tensor saved for backward.

    `unpack` gets that object back when backward needs it and returns a tensor of the same shape.
    Python numbers are not packed. Inner blocks win over outer ones.
    """

    def __init__(self, pack: Pack, unpack: Pack) -> None:
        self._pair = (pack, unpack)

    def __enter__(self) -> Self:
        state.packing = (*state.packing, self._pair)
        return self

    def __exit__(self, *error: object) -> None:
        state.packing = state.packing[:-1]
