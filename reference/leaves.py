"""Where gradients arrive: the accumulator of a leaf, and `.grad` in general."""

# ruff: noqa: FBT001  (an internal flag may be a positional argument)

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .errors import InvalidGradient
from .graph import Edge, Node
from .layout import laid_out
from .tensor import Tensor, wrap


class AccumulateGrad(Node):
    """Where gradients of a leaf arrive. It keeps the leaf alive for the graph."""

    __slots__ = ("leaf",)

    def __init__(self, leaf: Tensor) -> None:
        super().__init__(None, (), {}, {}, leaf.array)
        self.leaf = leaf

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "AccumulateGrad"

    def pull(self, g: Any, live: Any, recording: bool) -> list[Any]:
        """Nothing lies below a leaf."""
        del g, live, recording
        return []

    def add(self, g: Any, owned: bool) -> None:
        """Add this pass's gradient to `.grad`, then call the post-accumulate hooks.

        A leaf that was switched off since it was used takes nothing.
        """
        leaf = self.leaf
        if not leaf.tracked:
            return
        accumulate(leaf, g, owned)
        if leaf.hooks is not None:
            for hook in tuple(leaf.hooks.after):
                hook(leaf)


def edge_of(tensor: Tensor) -> Edge | None:
    """Where the gradient of `tensor` goes: to its node, to its accumulator, or nowhere."""
    if tensor.origin is not None:
        tensor.origin.refresh(tensor)
    if tensor.edge is not None:
        return tensor.edge
    if not tensor.tracked:
        return None
    accumulator = None if tensor.accumulator is None else tensor.accumulator()
    if accumulator is None:
        accumulator = AccumulateGrad(tensor)
        tensor.accumulator = weakref.ref(accumulator)
    return accumulator, 0


def set_edge(tensor: Tensor, edge: Edge | None) -> None:
    """Give `tensor` a new place in the graph. Its hooks stay behind, retain_grad comes along."""
    if tensor.retains and tensor.edge is not None and tensor.edge[0].retained is not None:
        tensor.edge[0].retained.pop(tensor.edge[1], None)
    tensor.edge = edge
    if tensor.retains and edge is not None:
        retain(tensor, edge)


def retain(tensor: Tensor, edge: Edge) -> None:
    """Ask the node to store the gradient of this output in the tensor's `.grad`."""
    if edge[0].retained is None:
        edge[0].retained = {}
    edge[0].retained[edge[1]] = weakref.ref(tensor)


def accumulate(tensor: Tensor, g: Any, owned: bool) -> None:
    """Add `g` to `tensor.grad`.

    An array is added in place to an existing gradient, so that the object stays the same; a first
    one is copied unless the engine owns it, so that no gradient ever shares memory with another.
    A Tensor (recorded pass) replaces the former gradient by a new sum.
    """
    former = tensor.grad
    if tensor.array.shape != g.shape:
        raise InvalidGradient(f"gradient of shape {g.shape} for a tensor of {tensor.shape}")
    if isinstance(g, Tensor):
        if former is not None:
            tensor.set_grad(former + g)
        else:
            tensor.set_grad(g if owned else g.clone())
    elif former is None:
        keeps = owned and g.strides == tensor.array.strides
        tensor.set_grad(wrap(g if keeps else laid_out(g, tensor.array)))
    else:
        np.add(former.array, g, out=former.array, casting="same_kind")
        former.version.count += 1
