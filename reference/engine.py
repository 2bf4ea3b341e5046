"""Reverse mode: from cotangents of results to gradients of leaves.

A node runs once every node that uses its results has run, so each runs once, with all of its
gradient, whatever the number of paths. Ordinary passes work on plain arrays. A gradient that
arrives first at an edge is *borrowed*: it may be the caller's cotangent or somebody's memory, and
is never written. A second one is added into a new array, which the engine then *owns* and may add
to in place or give away. A pass with `create_graph=True` runs the very same rules on Tensors and so
records itself.
"""

# ruff: noqa: FBT001, FBT002  (signatures are PyTorch's; an internal flag may be positional)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import AutogradError
from .graph import Edge, Edges, Node, Output, walk
from .modes import set_grad_enabled
from .primitives import add, clone, laid_out, sum_to, to
from .tensor import AccumulateGrad, Tensor, raw, wrap


def backward(
    tensors: Tensor | Sequence[Tensor],
    cotangents: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add to the `.grad` of every leaf (or of `inputs` only) the gradient of `tensors`.

    An intermediate tensor among `inputs` retains its gradient from then on. A cotangent has the
    shape of its tensor, is cast to its dtype, and may be None for a one-element one. Values saved
    in the nodes that ran are freed unless `retain_graph`, which defaults to `create_graph`. Raises
    argument, no_graph, nonscalar_backward, cotangent_shape, dtype, freed_graph, stale_saved_value,
    invalid_gradient.
    """
    run = Sweep(_sequence(tensors), cotangents, retain_graph, create_graph)
    if inputs is None:
        run.run()
        return
    wanted = _sequence(inputs)
    edges = list(map(_edge, wanted))
    for tensor in wanted:
        tensor.retain_grad()
    run.run(edges)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    cotangents: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`; no `.grad` is touched.

    Inputs may be leaves or not. One that took no part raises unreachable, or gives None with
    `allow_unused` and zeros with `materialize_grads`. With `create_graph` the results can be
    differentiated again.
    """
    wanted = _sequence(inputs)
    edges = list(map(_edge, wanted))
    run = Sweep(_sequence(outputs), cotangents, retain_graph, create_graph)
    run.run(edges, catches=True)
    results: list[Tensor | None] = []
    for tensor, edge in zip(wanted, edges, strict=True):
        if edge in run.caught:
            g, owned = run.caught[edge]
            run.caught[edge] = g, False  # asked for twice, the second gets a copy
            with set_grad_enabled(create_graph):
                results.append(_as_tensor(g) if owned else clone(_as_tensor(g)))
        elif materialize_grads:
            results.append(Tensor.from_array(np.zeros_like(tensor.array), create_graph))
        elif allow_unused:
            results.append(None)
        else:
            raise AutogradError("unreachable", f"input {len(results)} took no part in the graph")
    return tuple(results)


def _sequence(tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _edge(tensor: Tensor, is_input: bool = True) -> Edge:
    edge = tensor.gradient_edge()
    if edge is None and is_input and tensor.requires_grad:
        return Node((), {}, ()), 0  # of a view made under no_grad: nothing ever arrives there
    if edge is None:
        raise AutogradError("no_graph", "a tensor neither requires grad nor has a node")
    return edge


def _as_tensor(g: Any) -> Tensor:
    return g if isinstance(g, Tensor) else wrap(np.asarray(g))


def _start(tensor: Tensor, cotangent: Any, recording: bool) -> tuple[Edge, Any]:
    """Where a pass starts, and with which gradient."""
    edge = _edge(tensor, is_input=False)
    if cotangent is None:
        if tensor.array.size != 1:
            raise AutogradError("nonscalar_backward", "only a scalar needs no cotangent")
        cotangent = np.ones(tensor.shape, tensor.dtype)
    if cotangent.shape != tensor.shape:
        raise AutogradError("cotangent_shape", f"{cotangent.shape} for {tensor.shape}")
    if cotangent.dtype.kind == "c" and tensor.dtype.kind != "c":
        raise AutogradError("dtype", f"cotangent of {cotangent.dtype} for {tensor.dtype}")
    return edge, to(_as_tensor(cotangent) if recording else raw(cotangent), tensor.dtype)


class Sweep:
    """One reverse pass.

    `pending` holds, for each node that has not run, the gradients collected so far of its outputs,
    `owned` the edges at which this is the engine's own array. If only some edges are `wanted`,
    `live` are the nodes on a path to one; a pass that `catches` keeps in `caught` what arrives
    there, instead of accumulating it.
    """

    def __init__(
        self,
        tensors: tuple[Tensor, ...],
        cotangents: Any,
        retain_graph: bool | None,
        recording: bool,
    ) -> None:
        given = cotangents if isinstance(cotangents, list | tuple) else (cotangents,)
        if cotangents is None:
            given *= len(tensors)
        if not all(isinstance(raw(each), np.ndarray | None) for each in given):
            raise AutogradError("argument", "a cotangent is a Tensor or None")
        if len(given) != len(tensors):
            raise AutogradError("cotangent_shape", f"{len(given)} for {len(tensors)} tensors")
        self.roots = [_start(*each, recording) for each in zip(tensors, given, strict=True)]
        self.retain = recording if retain_graph is None else retain_graph
        self.recording = recording
        self.pending: dict[Node, list[Any]] = {}
        self.owned: set[Edge] = set()
        self.wanted: set[Edge] | None = None
        self.live: set[Node] | None = None
        self.catches = False
        self.caught: dict[Edge, tuple[Any, bool]] = {}

    def run(self, wanted: Sequence[Edge] | None = None, catches: bool = False) -> None:
        """Run every node of the pass once, users before used."""
        nodes = walk(*(edge[0] for edge, _ in self.roots))
        if wanted is not None:
            if not wanted:
                raise AutogradError("argument", "`inputs` cannot be empty")
            self.wanted, self.catches = set(wanted), catches
            self.live = {edge[0] for edge in wanted}
            for node in reversed(nodes):
                if self._edges(node, self.live):
                    self.live.add(node)
        with set_grad_enabled(self.recording):
            for edge, g in self.roots:
                if self.live is None or edge[0] in self.live:
                    self._deliver(edge, g, False)
            for node in nodes:
                gradients = self.pending.pop(node, None)
                # A node that received nothing passes nothing on.
                if gradients is not None:
                    self._step(node, gradients)

    def _edges(self, node: Node, live: set[Node]) -> Edges:
        """The edges of `node`, with None where the pass wants no gradient; () if it wants none."""
        edges = tuple(edge if edge is not None and edge[0] in live else None for edge in node.edges)
        return edges if any(edges) else ()

    def _step(self, node: Node, gradients: list[Any]) -> None:
        """Run one node and hand its results on."""
        edges = node.edges if self.live is None else self._edges(node, self.live)
        if node.hooks or node.retained or self.wanted is not None or not edges:
            self._arrive(node, gradients, bool(edges))
        if not edges:
            return
        results = node.vjp(gradients, edges, self.recording)
        if not self.retain and node.saved:
            node.saved = None
        for position, edge in enumerate(edges):
            g = results[position]
            if edge is None or g is None:
                continue
            if self.recording:
                g = _as_tensor(g)
            shape, dtype = edge[0].outputs[edge[1]]
            if g.shape != shape or g.dtype != dtype:
                g = self._fit(node, (shape, dtype), g)
            self._deliver(edge, g, node.fresh and g is not gradients[0])

    def _fit(self, node: Node, output: Output, g: Any) -> Any:
        """A gradient in the shape and dtype of the value it belongs to: no silent sums."""
        shape, dtype = output
        if g.shape != shape and node.broadcasts:
            g = sum_to(g, shape=shape)
        if g.shape != shape:
            raise AutogradError(
                "invalid_gradient", f"{node.name}: gradient of {g.shape} for {shape}"
            )
        return to(g, dtype)

    def _deliver(self, edge: Edge, g: Any, fresh: bool) -> None:
        """Add to what has arrived for an output of a node."""
        node, slot = edge
        arrived = self.pending.get(node)
        if arrived is None:
            arrived = self.pending[node] = [None] * len(node.outputs)
        former = arrived[slot]
        if former is None:
            arrived[slot] = g
            # A 0-d gradient may be a number, which cannot be added to in place.
            if fresh and g.shape and raw(g).base is None:
                self.owned.add(edge)
        elif edge in self.owned and not self.recording:
            np.add(former, g, out=former)
        else:
            arrived[slot] = add(former, g) if self.recording else np.asarray(former + g)
            self.owned.add(edge)

    def _arrive(self, node: Node, gradients: list[Any], goes_on: bool) -> None:
        """All of a node's gradient is here: hooks, `.grad`, and what the caller asked for."""
        for slot, hook in tuple((node.hooks or {}).values()):
            if gradients[slot] is not None:
                gradients[slot] = self._hooked(hook, gradients[slot])
                self.owned.discard((node, slot))
        for slot, reference in (node.retained or {}).items():
            tensor = reference()
            if tensor is not None and gradients[slot] is not None:
                accumulate(tensor, gradients[slot], False)
        for slot, g in enumerate(gradients):
            edge = node, slot
            if g is None or (self.wanted is not None and edge not in self.wanted):
                continue
            # What goes on to the node's rules stays theirs: others get a copy of it.
            mine = edge in self.owned and not goes_on
            if self.catches:
                self.caught[edge] = g, mine
            elif isinstance(node, AccumulateGrad) and node.wants():
                accumulate(node.leaf, g, mine)

    def _hooked(self, hook: Any, g: Any) -> Any:
        returned = hook(_as_tensor(g))
        if returned is None:
            return g
        if not isinstance(returned, Tensor):
            raise AutogradError("argument", f"a hook returned a {type(returned).__name__}")
        if returned.shape != g.shape or returned.dtype != g.dtype:
            changed = f"from {g.shape} {g.dtype} to {returned.shape} {returned.dtype}"
            raise AutogradError("invalid_gradient", f"a hook changed the gradient {changed}")
        return returned if self.recording else returned.array


def accumulate(tensor: Tensor, g: Any, owned: bool) -> None:
    """Add `g` to `tensor.grad`, then call the post-accumulate hooks.

    An array is added in place to an existing gradient, so that the object stays the same; a first
    one is copied unless the engine owns it, so that no gradient ever shares memory with another.
    A Tensor (recorded pass) replaces the former gradient by a new sum.
    """
    former = tensor.grad
    # A tensor that was turned in place may hold a gradient of its former shape.
    if tensor.shape != g.shape or (former is not None and former.shape != g.shape):
        raise AutogradError("invalid_gradient", f"gradient of {g.shape} for {tensor.shape}")
    if isinstance(g, Tensor):
        with set_grad_enabled(True):
            if former is not None:
                tensor.gradient = add(former, g)
            else:
                tensor.gradient = g if owned else clone(g)
                tensor.gradient.array = laid_out(tensor.gradient.array, tensor.array)
    elif former is None:
        keeps = owned and g.strides == tensor.array.strides
        tensor.gradient = wrap(g if keeps else laid_out(g, tensor.array))
    else:
        np.add(former.array, g, out=former.array, casting="same_kind")
        former.version.count += 1
    for _, hook in tuple((tensor.post_hooks or {}).values()):
        hook(tensor)
