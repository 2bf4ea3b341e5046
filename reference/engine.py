"""The two ways to ask for gradients: `backward` adds them to `.grad`, `grad` returns them."""

# ruff: noqa: FBT001, FBT002  (signatures are PyTorch's)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .elementwise import raw, to
from .errors import (
    CotangentDtype,
    CotangentShape,
    NoGraph,
    NonscalarBackward,
    NotATensor,
    Unreachable,
)
from .graph import Edge
from .layout import laid_out
from .leaves import AccumulateGrad, accumulate, edge_of
from .sweep import Sweep
from .tensor import Tensor, wrap


def backward(
    tensors: Tensor | Sequence[Tensor],
    cotangents: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add to the `.grad` of every leaf (or of `inputs` only) the gradient of `tensors`.

    A cotangent has the shape of its tensor, is cast to its dtype, and may be None for a one-element
    one. Values saved in
    the nodes that ran are freed unless `retain_graph`, which defaults to `create_graph`. Raises
    NotATensor, NoGraph, NonscalarBackward, CotangentShape, CotangentDtype, FreedGraph,
    StaleSavedValue, InvalidGradient.
    """
    roots = _roots(_sequence(tensors), cotangents, create_graph)
    if inputs is None:
        Sweep(roots, None, retain_graph, create_graph).run()
        return
    wanted = tuple(dict.fromkeys(_sequence(inputs)))  # named twice counts once
    if not wanted:
        raise ValueError("`inputs` argument to `backward()` cannot be empty.")
    run = Sweep(roots, _targets(wanted), retain_graph, create_graph, into_leaves=True)
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
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`; no `.grad` is touched.

    Inputs may be leaves or not. One that took no part raises Unreachable, or gives None with
    `allow_unused` and zeros with `materialize_grads`. With `create_graph` the results can be
    differentiated again.
    """
    wanted = _sequence(inputs)
    if not wanted:
        raise ValueError("`inputs` argument to `grad()` cannot be empty.")
    roots = _roots(_sequence(outputs), cotangents, create_graph)
    edges = _targets(wanted)
    run = Sweep(roots, edges, retain_graph, create_graph)
    run.run()
    results: list[Tensor | None] = []
    for position, edge in enumerate(edges):
        if edge not in run.caught:
            if materialize_grads:
                results.append(wrap(np.zeros_like(wanted[position].array)))
                continue
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
    elif not isinstance(cotangents, list | tuple):
        cotangents = (cotangents,)
    for each in cotangents:
        if each is not None and not isinstance(raw(each), np.ndarray):
            raise NotATensor(f"a cotangent is a Tensor or None, not {type(each).__name__}")
    if len(cotangents) != len(tensors):
        raise CotangentShape(f"{len(cotangents)} cotangents for {len(tensors)} tensors")
    roots = []
    for position, (tensor, cotangent) in enumerate(zip(tensors, cotangents, strict=True)):
        if cotangent is None and tensor.requires_grad and tensor.array.size != 1:
            raise NonscalarBackward("grad can be implicitly created only for scalar outputs")
        edge = edge_of(tensor)
        if edge is None:
            raise NoGraph(
                f"element {position} of tensors does not require grad and does not have a node"
            )
        given = np.ones(tensor.shape, tensor.dtype) if cotangent is None else cotangent
        _check(given, tensor)
        if not recording:
            roots.append((edge, to(raw(given), tensor.dtype)))
        else:
            given = given if isinstance(given, Tensor) else wrap(given)
            roots.append((edge, to(given, tensor.dtype)))
    return roots


def _check(cotangent: Any, tensor: Tensor) -> None:
    """Raise unless `cotangent` can start a pass at `tensor`."""
    array = raw(cotangent)
    if array.shape != tensor.shape:
        raise CotangentShape(f"cotangent of shape {array.shape} for a {tensor.shape} tensor")
    if array.dtype.kind == "c" and tensor.dtype.kind != "c":
        raise CotangentDtype(f"cotangent of dtype {array.dtype} for {tensor.dtype}")
