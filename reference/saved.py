"""What a node keeps for backward.

Anything kept answers `opened(node, recording)`: with an array, or in a recorded pass with the
tensor it was. A tensor is kept as memory plus edge instead of as itself: an in-place operation
could later hang it under the very node that saved it, and such a cycle would outlive its last user.
"""

# ruff: noqa: FBT001  (an internal flag may be a positional argument)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import StaleSavedValue
from .graph import Node
from .leaves import edge_of
from .modes import state
from .tensor import Array, Tensor, Version, wrap


class Constant:
    """A number or array that was given as such: no tensor, but freed with the rest."""

    __slots__ = ("constant",)

    def __init__(self, constant: Any) -> None:
        self.constant = constant

    def opened(self, node: Node, recording: bool) -> Any:
        """The constant itself."""
        del node, recording
        return self.constant


class Several:
    """The arguments called `rest`."""

    __slots__ = ("each",)

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.each = tuple(map(keep, values))

    def opened(self, node: Node, recording: bool) -> tuple[Any, ...]:
        """All of them."""
        return tuple(each.opened(node, recording) for each in self.each)


def keep(value: Any) -> Saved | Constant:
    """What to store for an argument of an operation."""
    return Saved(value) if type(value) is Tensor else Constant(value)


class Saved:
    """A tensor kept for backward, with the version seen at saving."""

    __slots__ = ("array", "count", "edge", "leaf", "slot", "unpack", "version")

    unpack: Callable[[Any], Any] | None

    def __init__(self, tensor: Tensor, slot: int | None = None) -> None:
        self.version: Version = tensor.version
        self.count = tensor.version.count
        self.slot = slot  # which output of the saving node it is, if it is one
        # An output belongs to the node that saves it: naming its edge would close a cycle.
        if slot is not None:
            self.edge = None
        else:
            if tensor.origin is not None:
                tensor.origin.refresh(tensor)
            self.edge = tensor.edge
        # A leaf is kept itself: assigning its .data must stay visible to backward, as in PyTorch.
        self.leaf = None if slot is not None or self.edge is not None else tensor
        self.array: Any = tensor.array
        self.unpack = None
        if state.packing:
            pack, self.unpack = state.packing[-1]
            if self.leaf is not None:
                self.edge, self.leaf = edge_of(tensor), None
                self.array = pack(tensor)
            else:
                self.array = pack(wrap(tensor.array, tensor.version, self.edge))

    def value(self, node: Node) -> Array:
        """The memory. Raises StaleSavedValue if it was written in place since."""
        if self.unpack is not None:
            unpacked = self.unpack(self.array)
            return unpacked.array if isinstance(unpacked, Tensor) else np.asarray(unpacked)
        if self.version.count != self.count:
            raise StaleSavedValue(
                f"a value that {node.name} needs for its gradient was modified in place: "
                f"it is at version {self.version.count}, expected {self.count}"
            )
        return self.array if self.leaf is None else self.leaf.array

    def opened(self, node: Node, recording: bool) -> Array | Tensor:
        """The array, or in a recorded pass the tensor."""
        return self.tensor(node) if recording else self.value(node)

    def tensor(self, node: Node) -> Tensor:
        """The tensor it was, in its place in the graph: what differentiating again needs."""
        array = self.value(node)
        if self.leaf is not None:
            return self.leaf
        return wrap(array, self.version, self.edge if self.slot is None else (node, self.slot))
