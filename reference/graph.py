"""The graph: one node per recorded operation, edges to the nodes that computed its inputs.

An edge is a pair (node, output number). Edges point backwards only, from results to inputs, so a
graph is a plain acyclic structure that reference counting reclaims as soon as its root is dropped.
"""

# ruff: noqa: FBT001  (an internal flag may be a positional argument)

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .errors import FreedGraph
from .tensor import Array, Tensor

if TYPE_CHECKING:
    from .primitives import Primitive

Edge = tuple["Node", int]
SAVED, ATTRIBUTE, SHAPE, POSITION = range(4)  # the kinds of things that a rule can ask for
FREED = (
    "Trying to backward through the graph a second time (or to read saved values after they were "
    "freed). Saved values are freed by backward() and grad(); pass retain_graph=True to keep them."
)


class Node:
    """One recorded operation.

    `edges` has an entry per input, None where no gradient is wanted. `saved` maps names to what
    backward needs; it is None once freed, and empty if the rules need nothing, which is why such
    a node can run again and again.
    """

    __slots__ = (
        "__weakref__",
        "attributes",
        "dtype",
        "edges",
        "hooks",
        "primitive",
        "retained",
        "saved",
        "shape",
    )
    multiple: ClassVar[bool] = False  # several outputs, see function.py
    fresh: ClassVar[bool] = True  # what pull returns was made by it, or is its argument

    def __init__(
        self,
        primitive: Primitive | None,
        edges: tuple[Edge | None, ...],
        saved: dict[str, Any] | None,
        attributes: Mapping[str, Any],
        output: Array | None,
    ) -> None:
        self.primitive = primitive
        self.edges = edges
        self.saved = saved
        self.attributes = attributes
        if output is not None:
            self.shape = output.shape
            self.dtype = output.dtype
        self.hooks: list[tuple[int, Callable[..., Any]]] | None = None
        self.retained: dict[int, weakref.ref[Tensor]] | None = None

    @property
    def name(self) -> str:
        """The name of the operation."""
        return "" if self.primitive is None else self.primitive.name

    @property
    def next_nodes(self) -> tuple[Node | None, ...]:
        """The nodes that computed the inputs; None where no gradient is wanted."""
        return tuple(None if edge is None else edge[0] for edge in self.edges)

    def shape_of(self, slot: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and dtype of an output."""
        del slot  # there is one
        return self.shape, self.dtype

    def saved_values(self) -> dict[str, Any]:
        """What is kept for backward, as arrays and numbers. Raises FreedGraph once freed."""
        if self.saved is None:
            raise FreedGraph(FREED)
        return {name: kept.opened(self, False) for name, kept in self.saved.items()}

    def pull(self, g: Any, live: Any, recording: bool) -> list[Any]:
        """The gradients of the inputs, given that of the output; None where none is wanted.

        `g` is an array, or a Tensor when the pass is itself recorded.
        """
        saved = self.saved
        if saved is None:
            raise FreedGraph(FREED)
        assert self.primitive is not None
        rules, last = self.primitive.rules, len(self.primitive.rules) - 1
        opened: dict[str, Any] = {}
        results: list[Any] = []
        for position, edge in enumerate(self.edges):
            if edge is None or (live is not None and edge[0] not in live):
                results.append(None)
                continue
            rule = rules[position] if position < last else rules[last]
            assert rule is not None
            arguments = []
            for kind, name in rule.needs:
                if kind == SAVED:
                    if name not in opened:
                        opened[name] = saved[name].opened(self, recording)
                    arguments.append(opened[name])
                elif kind == ATTRIBUTE:
                    arguments.append(self.attributes[name])
                elif kind == SHAPE:
                    arguments.append(edge[0].shape_of(edge[1])[0])
                else:
                    arguments.append(position)
            results.append(rule.function(g, *arguments))
        return results


def walk(node: Node) -> Iterator[Node]:
    """Every node reachable from `node`, once each."""
    seen, stack = {node}, [node]
    while stack:
        current = stack.pop()
        yield current
        for following in current.next_nodes:
            if following is not None and following not in seen:
                seen.add(following)
                stack.append(following)
