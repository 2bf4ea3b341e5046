"""The part of the protocol about the graph: its nodes, what they save, hooks, custom operations.

This text is normative, as that of `Backend`, which inherits it.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from .capabilities import Capability, part_of

Native = Any


class SavedTensors(Protocol):
    """A running count of the values saved for backward inside a block."""

    @property
    def packed(self) -> int:
        """How many values have been saved so far."""

    @property
    def live(self) -> int:
        """How many of them are still held by a graph."""


class Introspection:
    """What a backend shows of its graph, and lets others add to it."""

    # ---- nodes -----------------------------------------------------------------------------------

    @part_of(Capability.GRAPH)
    def node(self, x: Native) -> Any | None:
        """Return the node that computed `x`, or None."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def next_nodes(self, node: Any) -> Sequence[Any | None]:
        """Return the nodes that `node` passes gradients to, one for each input."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def leaf_of(self, node: Any) -> Native | None:
        """Return the leaf whose gradient `node` accumulates, None if `node` is an operation."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def pull(self, node: Any, gradient: Native) -> Sequence[Native | None]:
        """Run `node` alone: return the gradients of its inputs, given that of its output."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def saved_values(self, node: Any) -> Mapping[str, Native | None]:
        """Return the tensors `node` saved, by the name of the argument they stand for."""
        raise NotImplementedError

    @part_of(Capability.GRAPH)
    def base(self, x: Native) -> Native | None:
        """Return the tensor whose memory `x` is a view of, or None."""
        raise NotImplementedError

    # ---- values saved for backward ---------------------------------------------------------------

    @part_of(Capability.SAVED_TENSORS)
    def saved_tensors(self) -> AbstractContextManager[SavedTensors]:
        """Count the values saved for backward by operations recorded in a block."""
        raise NotImplementedError

    @part_of(Capability.PACKING)
    def saved_tensors_hooks(
        self, pack: Callable[[Native], Any], unpack: Callable[[Any], Native]
    ) -> AbstractContextManager[object]:
        """Keep `pack(x)` for each value x saved in a block; backward takes `unpack` of that."""
        raise NotImplementedError

    @part_of(Capability.CHECKPOINT)
    def checkpoint(self, function: Callable[..., Native], *inputs: Native) -> Native:
        """Return `function(*inputs)`, computed again in backward: nothing in between is kept."""
        raise NotImplementedError

    # ---- hooks -----------------------------------------------------------------------------------

    @part_of(Capability.HOOKS)
    def retain_grad(self, x: Native) -> None:
        """Keep the gradient of a non-leaf in its .grad."""
        raise NotImplementedError

    @part_of(Capability.HOOKS)
    def register_hook(self, x: Native, hook: Callable[[Native], Native | None]) -> Any:
        """Call `hook` with the gradient of `x`; what it returns replaces the gradient."""
        raise NotImplementedError

    @part_of(Capability.LEAF_HOOKS)
    def register_post_accumulate_hook(self, x: Native, hook: Callable[[Native], None]) -> Any:
        """Call `hook` with the leaf `x` each time after a gradient was added to its .grad."""
        raise NotImplementedError

    @part_of(Capability.NODE_HOOKS)
    def register_node_hook(
        self, node: Any, hook: Callable[..., Any], *, before: bool = False
    ) -> Any:
        """Call `hook` with the gradients of the inputs of `node` and of its outputs, two tuples.

        A tuple that it returns replaces the gradients of the inputs. If it is called `before` the
        node runs, it takes those of the outputs alone, and what it returns replaces them.
        """
        raise NotImplementedError

    # ---- operations written by hand --------------------------------------------------------------

    @part_of(Capability.CUSTOM)
    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
        """Make an operation of two functions: a class whose `apply` takes the inputs.

        `forward(ctx, *inputs)` returns the outputs, `backward(ctx, *gradients)` a gradient or None
        for each input. `ctx` has `save_for_backward(...)`, `saved_tensors`, `needs_input_grad` and
        `set_materialize_grads(flag)`, and takes any other attribute. Where `marks` is declared, it
        has `mark_dirty(*inputs)` and `mark_non_differentiable(*outputs)` as well.
        """
        raise NotImplementedError

    @part_of(Capability.CUSTOM)
    def once_differentiable(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        """Mark a `backward` whose result is not to be differentiated."""
        raise NotImplementedError

    @part_of(Capability.GRADCHECK)
    def gradcheck(
        self, function: Callable[..., Any], inputs: Sequence[Native], **options: Any
    ) -> bool:
        """Compare the gradients of `function` at `inputs` with central differences.

        `options` are `eps`, `atol`, `rtol` and `raise_exception`.
        """
        raise NotImplementedError
