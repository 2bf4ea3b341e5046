"""The graph: a node per recorded operation, and edges to the nodes that computed its inputs.

An edge is a pair (node, output number). Edges point backwards only, from results to inputs, so a
graph is a plain acyclic structure that reference counting reclaims as soon as its root is dropped.
Nothing in this file knows what a tensor is.
"""

# ruff: noqa: FBT001  (an internal flag may be a positional argument)

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from .errors import AutogradError

Edge = tuple["Node", int]
Edges = tuple[Edge | None, ...]
Output = tuple[tuple[int, ...], np.dtype[Any]]
Hooks = dict[object, tuple[int, Callable[[Any], Any]]]
SERIAL = itertools.count()


class Node:
    """One recorded operation: how gradients get from its outputs to its inputs.

    `edges` has an entry per input, None where no gradient is wanted; `outputs` has the shape and
    dtype of each output. `saved` maps names to what backward needs: None once freed, and empty if
    it needs nothing, which is why such a node can run again and again. `retained` are the tensors,
    by output, that want their gradient stored.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "outputs", "retained", "saved", "serial")
    fresh: ClassVar[bool] = True  # what `vjp` returns was made by it, or is its argument

    def __init__(self, edges: Edges, saved: dict[str, Any], outputs: tuple[Output, ...]) -> None:
        self.edges = edges
        self.saved: dict[str, Any] | None = saved
        self.outputs = outputs
        self.serial = next(SERIAL)
        self.hooks: Hooks | None = None
        self.retained: dict[int, weakref.ref[Any]] | None = None

    @property
    def name(self) -> str:
        """The name of the operation."""
        return type(self).__name__

    @property
    def broadcasts(self) -> bool:
        """Whether a gradient may be larger than the input it belongs to, and is then summed."""
        return False

    @property
    def next_nodes(self) -> tuple[Node | None, ...]:
        """The nodes that computed the inputs; None where no gradient is wanted."""
        return tuple(None if edge is None else edge[0] for edge in self.edges)

    def kept(self) -> dict[str, Any]:
        """What is kept for backward. Raises freed_graph."""
        if self.saved is None:
            raise AutogradError("freed_graph", f"{self.name} was freed; use retain_graph=True")
        return self.saved

    def saved_values(self) -> dict[str, Any]:
        """What is kept for backward, as arrays and numbers. Raises freed_graph."""
        return {name: self.opened(kept, False) for name, kept in self.kept().items()}

    def opened(self, kept: Any, recording: bool) -> Any:
        """What was kept: a number or an array as it is, a tensor by asking for it."""
        return kept(self, recording) if callable(kept) else kept

    def vjp(self, gradients: Sequence[Any], edges: Edges, recording: bool) -> Sequence[Any]:
        """The gradients of the inputs, given those of the outputs (vector-Jacobian products).

        Gradients are arrays, or Tensors when the pass is itself recorded; None is one that nobody
        used. `edges` are the node's, with None also where the pass wants no gradient.
        """
        raise NotImplementedError


def walk(*roots: Node) -> list[Node]:
    """Every node that can be reached from `roots`, each before the nodes it leads to.

    That order costs nothing: what an operation reads was recorded before it, so the nodes in the
    order of their recording, last one first, are in the order of the reverse sweep (Griewank &
    Walther, section 3.2). A loop instead of recursion walks chains of any length.
    """
    seen = set(roots)
    stack = list(seen)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                stack.append(edge[0])
    return sorted(seen, key=attrgetter("serial"), reverse=True)
