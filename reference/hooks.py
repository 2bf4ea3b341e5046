"""Hooks: being told of, and changing, a gradient on its way.

A hook on a non-leaf belongs to the node and output that computed it: after an in-place operation
it still sees the gradient of the former value, while `retain_grad` follows the tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import AutogradError, NoGraph
from .leaves import edge_of, retain
from .tensor import LeafHooks, Tensor

Hook = Callable[[Tensor], Any]


class Handle:
    """Takes a hook away again."""

    def __init__(self, hooks: list[Any], entry: Any) -> None:
        self._hooks, self._entry = hooks, entry

    def remove(self) -> None:
        """Stop calling the hook; a second call does nothing."""
        for position, entry in enumerate(self._hooks):
            if entry is self._entry:
                del self._hooks[position]
                return


def _leaf_hooks(leaf: Tensor) -> LeafHooks:
    if leaf.hooks is None:
        leaf.hooks = LeafHooks()
    return leaf.hooks


def register_hook(self: Tensor, hook: Hook) -> Handle:
    """Call `hook(gradient)` once per backward with all of this tensor's gradient.

    A tensor of the same shape and dtype that it returns replaces the gradient. Raises NoGraph.
    """
    if not self.requires_grad:
        raise NoGraph("cannot register a hook on a tensor that doesn't require gradient")
    edge = None if self.node is None else edge_of(self)
    if edge is None:
        before = _leaf_hooks(self).before
        entry: Any = _Once(hook)
        before.append(entry)
        return Handle(before, entry)
    if edge[0].hooks is None:
        edge[0].hooks = []
    entry = (edge[1], hook)
    edge[0].hooks.append(entry)
    return Handle(edge[0].hooks, entry)


class _Once:
    """A registration: the same function registered twice is two of these."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook

    def __call__(self, tensor: Tensor) -> Any:
        return self._hook(tensor)


def register_post_accumulate_grad_hook(self: Tensor, hook: Hook) -> Handle:
    """Call `hook(leaf)` after a gradient was added to `leaf.grad`. Raises AutogradError."""
    if not self.tracked or not self.is_leaf:
        raise AutogradError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    after, entry = _leaf_hooks(self).after, _Once(hook)
    after.append(entry)
    return Handle(after, entry)


def retain_grad(self: Tensor) -> None:
    """Fill `.grad` of this non-leaf too, after all hooks; nothing changes on a leaf."""
    if not self.requires_grad:
        raise NoGraph("can't retain_grad on Tensor that has requires_grad=False")
    edge = None if self.node is None else edge_of(self)
    if edge is not None and not self.retains:
        self.retains = True
        retain(self, edge)
