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
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from .errors import AutogradError
from .graph import Edges, Node
from .modes import no_grad, state
from .primitives import Saved, keep
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
        """What was saved, in place in the graph. Raises freed_graph, stale_saved_value."""
        node = None if self._node is None else self._node()
        if node is None:
            return self._to_save
        return tuple(node.opened(kept, True) for kept in node.kept().values())

    def set_materialize_grads(self, flag: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs nobody used."""
        self._materialize = flag

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """These outputs do not require a gradient."""
        self._not_differentiable = outputs


class FunctionNode(Node):
    """A call of a Function: several outputs, and a backward that is user code."""

    __slots__ = ("context", "function")
    function: type[Function]
    context: Context
    fresh: ClassVar[bool] = False  # user code may return memory that somebody else holds

    @property
    def name(self) -> str:
        """As PyTorch names it."""
        return f"{self.function.__name__}Backward"

    def vjp(self, gradients: Sequence[Any], edges: Edges, recording: bool) -> Sequence[Any]:
        """Run the user's backward and check what it returned."""
        self.kept()
        given: list[Tensor | None] = []
        for g, (shape, dtype) in zip(gradients, self.outputs, strict=True):
            if g is not None:
                given.append(g if isinstance(g, Tensor) else wrap(g))
            else:
                given.append(wrap(np.zeros(shape, dtype)) if self.context._materialize else None)
        returned = self.function.backward(self.context, *given)
        results = list(returned) if isinstance(returned, tuple | list) else [returned]
        while len(results) > len(edges) and results[-1] is None:
            results.pop()
        if len(results) != len(edges):
            message = f"{self.name} returned {len(results)} gradients, expected {len(edges)}"
            raise AutogradError("invalid_gradient", message)
        for result in results:
            if result is not None and not isinstance(result, Tensor):
                message = f"{self.name} returned a {type(result).__name__}, no Tensor or None"
                raise AutogradError("invalid_gradient", message)
        return results if recording else [None if g is None else g.array for g in results]


class Function:
    """Base of custom operations; see the module's text."""

    forward: ClassVar[Callable[..., Any]]
    backward: ClassVar[Callable[..., Any]]

    def __init__(self, *_arguments: Any) -> None:
        raise AutogradError("argument", "a Function is used through its apply, not instantiated")

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """Run forward; record if an input is tracked. Returns what forward returned."""
        context = Context()
        tracked = [isinstance(each, Tensor) and each.requires_grad for each in inputs]
        recording = state.recording and any(tracked)
        context.needs_input_grad = tuple(tracked)
        with no_grad():
            returned = cls.forward(context, *inputs)
        originals = returned if isinstance(returned, tuple) else (returned,)
        outputs = tuple(_own(each, inputs, recording) for each in originals)
        if recording:
            cls._record(context, inputs, originals, outputs)
        return outputs if isinstance(returned, tuple) else outputs[0]

    @classmethod
    def _record(cls, context: Context, inputs: Any, originals: Any, outputs: Any) -> None:
        needed = zip(inputs, context.needs_input_grad, strict=True)
        edges = tuple(each.gradient_edge() if needs else None for each, needs in needed)
        arrays = [each.array if isinstance(each, Tensor) else np.empty(()) for each in outputs]
        node = FunctionNode(edges, {}, tuple((array.shape, array.dtype) for array in arrays))
        node.function, node.context = cls, context
        refused = {id(each) for each in context._not_differentiable}
        for slot, (original, out) in enumerate(zip(originals, outputs, strict=True)):
            differentiable = isinstance(out, Tensor) and out.dtype.kind in "fc"
            if differentiable and id(original) not in refused:
                out.edge = (node, slot)
        kept: dict[str, Any] = {}
        for position, each in enumerate(context._to_save):
            if each is not None and not isinstance(each, Tensor):
                message = f"save_for_backward takes tensors, not {type(each).__name__}"
                raise AutogradError("argument", message)
            slots = [slot for slot, original in enumerate(originals) if original is each]
            if each is None or not slots or any(each is x for x in inputs):
                kept[str(position)] = keep(each)
            else:
                kept[str(position)] = Saved(outputs[slots[0]], slots[0])
        node.saved = kept
        context._to_save = ()
        context._node = weakref.ref(node)


def _own(output: Any, inputs: tuple[Any, ...], recording: bool) -> Any:
    """The output; of an input handed back, or a view, a view whose history cannot be rewritten."""
    if not isinstance(output, Tensor):
        return output
    handed_back = any(output is each for each in inputs)
    if handed_back and not recording and output.requires_grad:
        return output.detach()
    if output.origin is None and not handed_back:
        return output
    made = wrap(output.array, output.version)
    made.origin = View(output, "custom_view_inplace")
    return made


class Final(Function):
    """The identity, which refuses to be differentiated on the way to any of its inputs."""

    @staticmethod
    def forward(_ctx: Context, result: Tensor, *_inputs: Tensor) -> Tensor:
        """The result itself."""
        return result

    @staticmethod
    def backward(_ctx: Context, _g: Tensor) -> Any:
        """Raise not_differentiable."""
        raise AutogradError("not_differentiable", "backward is marked once_differentiable")


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
