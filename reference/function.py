"""Custom operations: a forward and a backward written by hand.

    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return g * result

    y = Exp.apply(x)

The contract is that of torch.autograd.Function ("Extending PyTorch"): forward runs without
recording; backward returns one gradient per input, None where there is none, and is itself
recorded by a pass with create_graph.
"""

# ruff: noqa: FBT001, SLF001  (signatures are PyTorch's; a Function and its context are one thing)

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from .errors import (
    CustomViewInplace,
    FreedGraph,
    InvalidGradient,
    NotApplied,
    NotATensor,
    NotDifferentiable,
)
from .graph import FREED, Node
from .leaves import edge_of
from .modes import no_grad, state
from .saved import Constant, Saved
from .tensor import Tensor, wrap
from .views import View


class Context:
    """What one call of a Function carries from forward to backward; any attribute may be set."""

    def __init__(self) -> None:
        self.needs_input_grad: tuple[bool, ...] = ()
        self._to_save: tuple[Any, ...] = ()
        self._materialize = True
        self._not_differentiable: tuple[Tensor, ...] = ()
        # Weak, because the node holds the context.
        self._node: weakref.ref[FunctionNode] | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors (or None) for backward: version-checked, freed with the graph."""
        self._to_save = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved. Raises FreedGraph, StaleSavedValue."""
        node = None if self._node is None else self._node()
        return self._to_save if node is None else node.saved_tensors()

    def set_materialize_grads(self, flag: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs nobody used."""
        self._materialize = flag

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """These outputs do not require a gradient."""
        self._not_differentiable = outputs


class FunctionNode(Node):
    """A call of a Function: several outputs, and a backward that is user code."""

    __slots__ = ("context", "function", "metas")
    multiple: ClassVar[bool] = True
    fresh: ClassVar[bool] = False  # user code may return memory that somebody else holds

    def __init__(self, function: type[Function], context: Context, edges: tuple[Any, ...]) -> None:
        super().__init__(None, edges, {}, {}, None)
        self.function = function
        self.context = context
        self.metas: list[tuple[tuple[int, ...], np.dtype[Any]]] = []

    @property
    def name(self) -> str:
        """As PyTorch names it."""
        return f"{self.function.__name__}Backward"

    def shape_of(self, slot: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and dtype of an output."""
        return self.metas[slot]

    def saved_tensors(self) -> tuple[Any, ...]:
        """What the context saved, in place in the graph. Raises FreedGraph, StaleSavedValue."""
        if self.saved is None:
            raise FreedGraph(FREED)
        return tuple(kept.opened(self, True) for kept in self.saved.values())

    def pull(self, g: Any, live: Any, recording: bool) -> list[Any]:
        """Run the user's backward and check what it returned."""
        del live  # user code computes all gradients or none
        if self.saved is None:
            raise FreedGraph(FREED)
        given: list[Tensor | None] = []
        for slot, (shape, dtype) in enumerate(self.metas):
            value = g.get(slot)
            if value is not None:
                given.append(value if isinstance(value, Tensor) else wrap(value))
            else:
                given.append(wrap(np.zeros(shape, dtype)) if self.context._materialize else None)
        returned = self.function.backward(self.context, *given)
        results = list(returned) if isinstance(returned, tuple | list) else [returned]
        while len(results) > len(self.edges) and results[-1] is None:
            results.pop()
        if len(results) != len(self.edges):
            raise InvalidGradient(
                f"function {self.name} returned an incorrect number of gradients "
                f"(expected {len(self.edges)}, got {len(results)})"
            )
        for position, (edge, result) in enumerate(zip(self.edges, results, strict=True)):
            if result is not None and not isinstance(result, Tensor):
                raise InvalidGradient(f"expected Tensor or None, got {type(result).__name__}")
            if edge is None:
                results[position] = None
            elif result is not None and not recording:
                results[position] = result.array
        return results


class Function:
    """Base of custom operations; see the module's text."""

    forward: ClassVar[Callable[..., Any]]
    backward: ClassVar[Callable[..., Any]]

    def __init__(self, *arguments: Any) -> None:
        del arguments
        raise NotApplied("a Function is used through its apply, not instantiated")

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """Run forward; record if an input is tracked. Returns what forward returned."""
        context = Context()
        tracked = [isinstance(each, Tensor) and each.requires_grad for each in inputs]
        recording = state.recording and any(tracked)
        context.needs_input_grad = tuple(tracked)
        with no_grad():
            returned = cls.forward(context, *inputs)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        # An input handed back, or a view of one, becomes a new tensor on the same memory.
        outputs = tuple(
            _alias(each) if isinstance(each, Tensor) and _foreign(each, inputs) else each
            for each in outputs
        )
        if recording:
            cls._record(context, inputs, tracked, returned, outputs)
        return outputs if isinstance(returned, tuple) else outputs[0]

    @classmethod
    def _record(
        cls, context: Context, inputs: Any, tracked: list[bool], returned: Any, outputs: Any
    ) -> None:
        edges = tuple(edge_of(x) if t else None for x, t in zip(inputs, tracked, strict=True))
        node = FunctionNode(cls, context, edges)
        originals = returned if isinstance(returned, tuple) else (returned,)
        refused = {id(each) for each in context._not_differentiable}
        kept: dict[str, Any] = {}
        for slot, (original, out) in enumerate(zip(originals, outputs, strict=True)):
            if not isinstance(out, Tensor):
                node.metas.append(((), np.dtype(float)))
                continue
            node.metas.append((out.array.shape, out.array.dtype))
            if id(original) not in refused and out.array.dtype.kind in "fc":
                out.edge = (node, slot)
        for position, each in enumerate(context._to_save):
            if each is not None and not isinstance(each, Tensor):
                raise NotATensor(
                    f"save_for_backward can only save tensors, but argument {position} is of type "
                    f"{type(each).__name__}"
                )
            place = next((s for s, original in enumerate(originals) if original is each), None)
            if each is None:
                kept[str(position)] = Constant(None)
            elif place is None or any(each is x for x in inputs):
                kept[str(position)] = Saved(each)
            else:
                kept[str(position)] = Saved(outputs[place], place)
        node.saved = kept
        context._to_save = ()
        context._node = weakref.ref(node)


def _foreign(output: Tensor, inputs: tuple[Any, ...]) -> bool:
    return output.origin is not None or any(output is each for each in inputs)


def _alias(output: Tensor) -> Tensor:
    """The same memory as a view that refuses writes: its history cannot be rewritten."""
    made = wrap(output.array, output.version)
    base = output if output.origin is None else output.origin.base
    made.origin = View(base, (), CustomViewInplace, output.version.count)
    return made


class Final(Function):
    """The identity, which refuses to be differentiated on the way to any of its inputs."""

    @staticmethod
    def forward(ctx: Context, result: Tensor, *inputs: Tensor) -> Tensor:
        """The result itself."""
        del ctx, inputs
        return result

    @staticmethod
    def backward(ctx: Context, g: Tensor) -> Any:
        """Raise NotDifferentiable."""
        del ctx, g
        raise NotDifferentiable("a backward marked once_differentiable is not differentiated")


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward whose gradients depend on its inputs in ways that are not recorded."""

    def once(context: Context, *gradients: Any) -> Any:
        with no_grad():
            returned = backward(context, *gradients)
        node = None if context._node is None else context._node()
        if node is None or not state.recording:
            return returned
        inputs = [wrap(np.zeros(()), None, edge) for edge in node.edges if edge is not None]
        results = returned if isinstance(returned, tuple) else (returned,)
        return tuple(
            Final.apply(each, *gradients, *inputs) if isinstance(each, Tensor) else each
            for each in results
        )

    return once
