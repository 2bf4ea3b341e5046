"""Reverse mode: from cotangents of results to gradients of leaves.

A node may run once every node that uses its result has run: counting those uses first gives an
order that visits each edge once, whatever the number of paths (Griewank & Walther, section 3.2),
and a loop instead of recursion runs chains of any length.

Ordinary passes work on plain arrays. A gradient that arrives first at a node is *borrowed*: it may
be the caller's cotangent or somebody's memory, and is never written. A second one is added into a
new array, which the engine then *owns* and may add to in place or give away. A pass with
`create_graph=True` runs the very same rules on Tensors and so records itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .elementwise import to
from .errors import (
    CotangentDtype,
    CotangentShape,
    InvalidGradient,
    NoGraph,
    NonscalarBackward,
    Unreachable,
)
from .graph import AccumulateGrad, Edge, Node, accumulate, edge_of, laid_out
from .modes import set_grad_enabled
from .shaping import sum_to
from .tensor import Array, Tensor, wrap


def backward(
    tensors: Tensor | Sequence[Tensor],
    cotangents: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add to the `.grad` of every leaf (or of `inputs` only) the gradient of `tensors`.

    A cotangent has the shape of its tensor and may be None for a one-element one. Values saved in
    the nodes that ran are freed unless `retain_graph`, which defaults to `create_graph`. Raises
    NoGraph, NonscalarBackward, CotangentShape, FreedGraph, StaleSavedValue, InvalidGradient.
    """
    roots = _roots(_sequence(tensors), cotangents, create_graph)
    if inputs is None:
        _Pass(roots, None, retain_graph, create_graph).run()
        return
    wanted = _sequence(inputs)
    if not wanted:
        raise ValueError("`inputs` argument to `backward()` cannot be empty.")
    run = _Pass(roots, _targets(wanted), retain_graph, create_graph, into_leaves=True)
    run.run()
    for tensor, edge in zip(wanted, _targets(wanted), strict=True):
        if not isinstance(edge[0], AccumulateGrad) and edge in run.caught:
            accumulate(tensor, *run.caught[edge])


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    cotangents: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`; no `.grad` is touched.

    Inputs may be leaves or not. One that took no part raises Unreachable, or gives None with
    `allow_unused`. With `create_graph` the results can be differentiated again.
    """
    wanted = _sequence(inputs)
    if not wanted:
        raise ValueError("`inputs` argument to `grad()` cannot be empty.")
    roots = _roots(_sequence(outputs), cotangents, create_graph)
    edges = _targets(wanted)
    run = _Pass(roots, edges, retain_graph, create_graph)
    run.run()
    results: list[Tensor | None] = []
    for position, edge in enumerate(edges):
        if edge not in run.caught:
            if not allow_unused:
                raise Unreachable(
                    f"The differentiated Tensor at index {position} appears to not have been used "
                    "in the graph. Set allow_unused=True if this is the desired behavior."
                )
            results.append(None)
            continue
        g, owned = run.caught[edge]
        if isinstance(g, Tensor):
            results.append(g if owned else g.clone())
        else:
            results.append(wrap(g if owned else laid_out(g, g)))
        run.caught[edge] = g, False  # asked for twice, the second gets a copy
    return tuple(results)


def _sequence(tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _targets(inputs: Iterable[Tensor]) -> list[Edge]:
    edges = []
    for each in inputs:
        edge = edge_of(each)
        if edge is None:
            raise NoGraph("One of the differentiated Tensors does not require grad")
        edges.append(edge)
    return edges


def _roots(tensors: tuple[Tensor, ...], cotangents: Any, recording: bool) -> list[tuple[Edge, Any]]:
    """Where the pass starts, and with which gradients."""
    if cotangents is None:
        cotangents = (None,) * len(tensors)
    elif isinstance(cotangents, Tensor | np.ndarray):
        cotangents = (cotangents,)
    if len(cotangents) != len(tensors):
        raise CotangentShape(f"{len(cotangents)} cotangents for {len(tensors)} tensors")
    roots = []
    for position, (tensor, g) in enumerate(zip(tensors, cotangents, strict=True)):
        edge = edge_of(tensor)
        if g is None:
            if tensor.requires_grad and tensor.array.size != 1:
                raise NonscalarBackward("grad can be implicitly created only for scalar outputs")
            g = np.ones(tensor.shape, tensor.dtype)
        if edge is None:
            raise NoGraph(
                f"element {position} of tensors does not require grad and does not have a node"
            )
        array = g.array if isinstance(g, Tensor) else g
        if not isinstance(array, np.ndarray):
            raise CotangentDtype(f"a cotangent is a Tensor, not {type(g).__name__}")
        if array.shape != tensor.shape:
            raise CotangentShape(f"cotangent of shape {array.shape} for a {tensor.shape} tensor")
        if array.dtype.kind not in "fc" or (array.dtype.kind == "c" and tensor.dtype.kind == "f"):
            raise CotangentDtype(f"cotangent of dtype {array.dtype} for {tensor.dtype}")
        if not recording:
            g = array if array.dtype == tensor.dtype else array.astype(tensor.dtype)
        elif not isinstance(g, Tensor):
            g = wrap(array)
        roots.append((edge, to(g, tensor.dtype)))
    return roots


class _Pass:
    """One run of the engine.

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
        with set_grad_enabled(self.recording):
            self._run()

    def _run(self) -> None:
        pending, owned, uses, live = self.pending, self.owned, self.uses, self.live
        for edge, g in self.roots:
            if edge[0] in uses:
                self._deliver(edge, g, False)
        ready = [node for node, count in uses.items() if count == 0]
        while ready:
            node = ready.pop()
            g = pending.pop(node, None)
            results: Sequence[Any] = ()
            if g is not None:
                mine = node in owned
                if node.hooks or node.retained or self.wanted is not None or not node.edges:
                    g, mine = self._arrive(node, g, mine)
                if live is None or any(e is not None and e[0] in live for e in node.edges):
                    results = node.pull(g, live, self.recording)
                    if not self.retain and node.saved:
                        node.saved = None
            for position, edge in enumerate(node.edges):
                if edge is None or (live is not None and edge[0] not in live):
                    continue
                target = edge[0]
                if results and (result := results[position]) is not None:
                    fitted = self._fit(node, target.shape_of(edge[1]), result)
                    self._deliver(edge, fitted, node.fresh and fitted is not g)
                uses[target] -= 1
                if not uses[target]:
                    ready.append(target)

    def _fit(self, node: Node, expected: tuple[tuple[int, ...], np.dtype[Any]], g: Any) -> Any:
        """A gradient in the shape and dtype of the value it belongs to."""
        shape, dtype = expected
        if not isinstance(g, Tensor):
            if type(g) is not np.ndarray:
                g = np.asarray(g)
            if self.recording:
                g = wrap(g)
        if g.shape != shape:
            if node.primitive is None or not node.primitive.broadcasts:
                raise InvalidGradient(
                    f"{node.name} returned a gradient of shape {g.shape}, expected {shape}"
                )
            g = np.asarray(sum_to(g, shape)) if not self.recording else sum_to(g, shape)
        if g.dtype != dtype:
            g = to(g, dtype) if self.recording else g.astype(dtype)
        return g

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
            if fresh and _memory(g).base is None:
                self.owned.add(node)
        elif node in self.owned and not self.recording:
            np.add(former, g, out=former)
        else:
            self.pending[node] = _sum(former, g)
            self.owned.add(node)

    def _arrive(self, node: Node, g: Any, mine: bool) -> tuple[Any, bool]:
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
        for slot, value in slots.items():
            if self.wanted is not None and (node, slot) in self.wanted and (
                leaf is None or not self.into_leaves
            ):
                self.caught[node, slot] = value, mine and not _runs_on(node, self.live)
        if isinstance(node, AccumulateGrad) and (self.wanted is None or self.into_leaves):
            node.add(slots[0], mine)
        return (slots if node.multiple else slots[0]), mine

    def _hooked(self, hook: Any, g: Any) -> Any:
        given = g if isinstance(g, Tensor) else wrap(g)
        returned = hook(given)
        if returned is None:
            return g
        if not isinstance(returned, Tensor):
            raise TypeError(f"expected a Tensor, but hook returned {type(returned).__name__}")
        if returned.shape != given.shape or returned.dtype != given.dtype:
            raise InvalidGradient(
                f"a hook changed the gradient from {given.shape} {given.dtype} to "
                f"{returned.shape} {returned.dtype}"
            )
        return returned if self.recording else returned.array


def _runs_on(node: Node, live: set[Node] | None) -> bool:
    return any(e is not None and (live is None or e[0] in live) for e in node.edges)


def _memory(g: Any) -> Array:
    array: Array = g.array if isinstance(g, Tensor) else g
    return array


def _sum(a: Any, b: Any) -> Any:
    result = a + b
    return result if isinstance(result, Tensor) else np.asarray(result)
