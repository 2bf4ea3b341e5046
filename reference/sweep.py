"""Reverse mode: from cotangents of results to gradients of leaves.

A node may run once every node that uses its result has run: counting those uses first gives an
order that visits each edge once, whatever the number of paths (Griewank & Walther, section 3.2),
and a loop instead of recursion runs chains of any length.

Ordinary passes work on plain arrays. A gradient that arrives first at a node is *borrowed*: it may
be the caller's cotangent or somebody's memory, and is never written. A second one is added into a
new array, which the engine then *owns* and may add to in place or give away. A pass with
`create_graph=True` runs the very same rules on Tensors and so records itself.
"""

# ruff: noqa: FBT001, FBT002  (an internal flag may be a positional argument)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .elementwise import to
from .errors import InvalidGradient, NotATensor
from .graph import Edge, Node
from .leaves import AccumulateGrad, accumulate
from .modes import set_grad_enabled
from .shaping import sum_to
from .tensor import Array, Tensor, wrap


class Sweep:
    """One reverse pass.

    `pending` holds the gradient collected so far for each node that has not run, `owned` the nodes
    for which that is the engine's own array. With `wanted` only nodes on a path to one of these
    edges run; their gradients end up in `caught` (or, `into_leaves`, in a leaf's `.grad`).
    """

    def __init__(
        self,
        roots: list[tuple[Edge, Any]],
        wanted: list[Edge] | None,
        retain_graph: bool | None,
        recording: bool,
        into_leaves: bool = False,
    ) -> None:
        self.roots = roots
        self.retain = recording if retain_graph is None else retain_graph
        self.recording = recording
        self.into_leaves = into_leaves
        self.wanted = None if wanted is None else set(wanted)
        self.caught: dict[Edge, tuple[Any, bool]] = {}
        self.pending: dict[Node, Any] = {}
        self.owned: set[Node] = set()
        self.live = None if wanted is None else self._live({edge[0] for edge in wanted})
        self.uses = self._uses()

    def _live(self, goals: set[Node]) -> set[Node]:
        """The nodes from which a goal can be reached."""
        users: dict[Node, list[Node]] = {edge[0]: [] for edge, _ in self.roots}
        stack = list(users)
        while stack:
            node = stack.pop()
            for edge in node.edges:
                if edge is not None:
                    if edge[0] not in users:
                        users[edge[0]] = []
                        stack.append(edge[0])
                    users[edge[0]].append(node)
        live = goals & users.keys()
        stack = list(live)
        while stack:
            for user in users[stack.pop()]:
                if user not in live:
                    live.add(user)
                    stack.append(user)
        return live

    def _uses(self) -> dict[Node, int]:
        """For each node of the pass, how many edges lead to it."""
        live = self.live
        uses = {edge[0]: 0 for edge, _ in self.roots if live is None or edge[0] in live}
        stack = list(uses)
        while stack:
            for edge in stack.pop().edges:
                if edge is None:
                    continue
                node = edge[0]
                if node in uses:
                    uses[node] += 1
                elif live is None or node in live:
                    uses[node] = 1
                    stack.append(node)
        return uses

    def run(self) -> None:
        """Run every node of the pass once, users before used."""
        with set_grad_enabled(self.recording):
            for edge, g in self.roots:
                if edge[0] in self.uses:
                    self._deliver(edge, g, False)
            ready = [node for node, count in self.uses.items() if count == 0]
            while ready:
                self._step(ready.pop(), ready)

    def _step(self, node: Node, ready: list[Node]) -> None:  # noqa: C901  (the hot loop, unfolded)
        """Run one node, hand its results on, and append what has become ready."""
        live, uses, recording = self.live, self.uses, self.recording
        g = self.pending.pop(node, None)
        results: Sequence[Any] = ()
        if g is not None:
            if node.hooks or node.retained or self.wanted is not None or not node.edges:
                g = self._arrive(node, g, node in self.owned)
            if live is None or runs_on(node, live):
                results = node.pull(g, live, recording)
                if not self.retain and node.saved:
                    node.saved = None
        for position, edge in enumerate(node.edges):
            if edge is None or (live is not None and edge[0] not in live):
                continue
            target = edge[0]
            # A node that received nothing passes nothing on, but its users must not wait for it.
            if results and (result := results[position]) is not None:
                if recording:
                    result = wrap_as(recording, result)
                shape, dtype = target.shape_of(edge[1])
                if result.shape != shape or result.dtype != dtype:
                    result = self._fit(node, shape, dtype, result)
                self._deliver(edge, result, node.fresh and result is not g)
            uses[target] -= 1
            if not uses[target]:
                ready.append(target)

    def _fit(self, node: Node, shape: tuple[int, ...], dtype: np.dtype[Any], g: Any) -> Any:
        """A gradient in the shape and dtype of the value it belongs to: no silent sums."""
        if g.shape != shape:
            if node.primitive is None or not node.primitive.broadcasts:
                raise InvalidGradient(
                    f"{node.name} returned a gradient of shape {g.shape}, expected {shape}"
                )
            g = wrap_as(self.recording, sum_to(g, shape))
        return to(g, dtype)

    def _deliver(self, edge: Edge, g: Any, fresh: bool) -> None:
        """Add to what has arrived for an output of a node."""
        node, slot = edge
        if node.multiple:
            slots = self.pending.setdefault(node, {})
            slots[slot] = g if slot not in slots else _sum(slots[slot], g)
            return
        former = self.pending.get(node)
        if former is None:
            self.pending[node] = g
            # A 0-d gradient may be a number, which cannot be added to in place.
            if fresh and g.shape and _memory(g).base is None:
                self.owned.add(node)
        elif node in self.owned and not self.recording:
            np.add(former, g, out=former)
        else:
            self.pending[node] = _sum(former, g)
            self.owned.add(node)

    def _arrive(self, node: Node, g: Any, mine: bool) -> Any:
        """All of a node's gradient is here: hooks, `.grad`, and what the caller asked for."""
        slots = g if node.multiple else {0: g}
        leaf = node.leaf if isinstance(node, AccumulateGrad) else None
        hooks = node.hooks if leaf is None else leaf.hooks and [(0, h) for h in leaf.hooks.before]
        for slot, hook in tuple(hooks or ()):
            if slot in slots:
                slots[slot], mine = self._hooked(hook, slots[slot]), False
        for slot, reference in (node.retained or {}).items():
            tensor = reference()
            if tensor is not None and slot in slots:
                accumulate(tensor, slots[slot], False)
        if self.wanted is not None and (leaf is None or not self.into_leaves):
            # What goes on to the node's rules stays theirs: the caller gets a copy of it.
            mine = mine and not runs_on(node, self.live)
            for slot, value in slots.items():
                if (node, slot) in self.wanted:
                    self.caught[node, slot] = value, mine
        if isinstance(node, AccumulateGrad) and (self.wanted is None or self.into_leaves):
            node.add(slots[0], mine)
        return slots if node.multiple else slots[0]

    def _hooked(self, hook: Any, g: Any) -> Any:
        given = g if isinstance(g, Tensor) else wrap(g)
        returned = hook(given)
        if returned is None:
            return g
        if not isinstance(returned, Tensor):
            raise NotATensor(f"expected a Tensor, but hook returned {type(returned).__name__}")
        if returned.shape != given.shape or returned.dtype != given.dtype:
            raise InvalidGradient(
                f"a hook changed the gradient from {given.shape} {given.dtype} to "
                f"{returned.shape} {returned.dtype}"
            )
        return returned if self.recording else returned.array


def wrap_as(recording: bool, g: Any) -> Any:
    """`g` as the pass calculates: a Tensor if it is recorded, else an array and never a number."""
    if isinstance(g, Tensor):
        return g
    array = np.asarray(g)
    return wrap(array) if recording else array


def runs_on(node: Node, live: set[Node] | None) -> bool:
    """Whether the node has to run for the sake of others."""
    return any(e is not None and (live is None or e[0] in live) for e in node.edges)


def _memory(g: Any) -> Array:
    array: Array = g.array if isinstance(g, Tensor) else g
    return array


def _sum(a: Any, b: Any) -> Any:
    result = a + b
    return result if isinstance(result, Tensor) else np.asarray(result)
