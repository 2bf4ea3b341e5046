"""The part of the protocol about leaves, .grad, memory, and what is recorded.

This text is normative, as that of `Backend`, which inherits it.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy.typing as npt

from .capabilities import Capability, part_of

Native = Any


class Recording:
    """What a backend that records operations on tensors has."""

    # ---- leaves and gradients --------------------------------------------------------------------

    @part_of(Capability.BACKWARD)
    def leaf(self, array: npt.NDArray[Any], dtype: str, device: str) -> Native:
        """Make a leaf that requires grad, otherwise as `tensor` does."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def backward(self, y: Native, cotangent: Native | None = None, **options: Any) -> None:
        """Add the vector-Jacobian product of `cotangent` to .grad of every leaf that `y` reaches.

        `y` may be a list, and `cotangent` then is one, with a tensor or None for each result.
        `options` are `retain_graph`, `create_graph` (bools) and `inputs` (a list of tensors), given
        only when a claim is about them.
        """
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def grad(self, x: Native) -> Native | None:
        """Return the very object held in .grad, or None."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def clear(self, x: Native) -> None:
        """Set .grad of `x` to None."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def requires_grad(self, x: Native) -> bool:
        """Whether operations on `x` are recorded."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def set_requires_grad(self, x: Native, *flag: bool) -> Native:
        """Make `x` require grad, in place, and return it; a `flag` of False makes it a constant."""
        raise NotImplementedError

    @part_of(Capability.BACKWARD)
    def is_leaf(self, x: Native) -> bool:
        """Whether `x` is a leaf: not the result of a recorded operation."""
        raise NotImplementedError

    @part_of(Capability.GRADIENTS)
    def gradients(
        self, y: Native, inputs: Sequence[Native], cotangent: Native | None = None, **options: Any
    ) -> Sequence[Native | None]:
        """Return the gradients of `y` for `inputs`, without touching .grad.

        `y` and `cotangent` may be lists, as those of `backward`. `options` are `retain_graph`,
        `create_graph`, `allow_unused` (None where there is no gradient, instead of a refusal) and
        `materialize_grads` (zeros there), given only when a claim is about them.
        """
        raise NotImplementedError

    @part_of(Capability.JACOBIAN)
    def jacobian(self, function: Callable[[Native], Native], x: Native) -> Native:
        """Return all partial derivatives of `function` at `x`, indices of the output first."""
        raise NotImplementedError

    @part_of(Capability.GRAD_ASSIGN)
    def set_grad(self, x: Native, gradient: object) -> None:
        """Assign `gradient` to .grad of `x`; the library decides what it accepts."""
        raise NotImplementedError

    # ---- memory ----------------------------------------------------------------------------------

    @part_of(Capability.VIEWS)
    def shares_memory(self, x: Native, y: Native) -> bool:
        """Whether `x` and `y` are kept in one storage."""
        raise NotImplementedError

    @part_of(Capability.VIEWS)
    def strides(self, x: Native) -> tuple[int, ...]:
        """Return the strides of `x`, in elements."""
        raise NotImplementedError

    @part_of(Capability.INPLACE)
    def setitem(self, x: Native, index: object, value: object) -> None:
        """Perform `x[index] = value`."""
        raise NotImplementedError

    @part_of(Capability.VERSION_COUNTER)
    def version_of(self, x: Native) -> int:
        """Return how often the storage of `x` was written in place, as `x` counts it."""
        raise NotImplementedError

    # ---- what is recorded ------------------------------------------------------------------------

    @part_of(Capability.NO_GRAD)
    def no_grad(self) -> AbstractContextManager[object]:
        """Switch recording off for a block; the object also decorates a function."""
        raise NotImplementedError

    @part_of(Capability.NO_GRAD)
    def enable_grad(self) -> AbstractContextManager[object]:
        """Switch recording on for a block."""
        raise NotImplementedError

    @part_of(Capability.NO_GRAD)
    def is_grad_enabled(self) -> bool:
        """Whether operations are being recorded in this thread."""
        raise NotImplementedError

    @part_of(Capability.SWITCHES)
    def set_grad_enabled(self, flag: bool) -> AbstractContextManager[object]:  # noqa: FBT001
        """Switch recording on or off at once; as a block, the object puts the former mode back."""
        raise NotImplementedError

    @part_of(Capability.INFERENCE)
    def inference_mode(self) -> AbstractContextManager[object]:
        """Make tensors for inference only in a block: none of them may be saved for backward."""
        raise NotImplementedError

    @part_of(Capability.INFERENCE)
    def is_inference(self, x: Native) -> bool:
        """Whether `x` was made for inference only: its writes are not counted."""
        raise NotImplementedError

    @part_of(Capability.DETACH)
    def detach(self, x: Native) -> Native:
        """Return an alias of `x` outside the graph."""
        raise NotImplementedError

    @part_of(Capability.DETACH)
    def detach_(self, x: Native) -> Native:
        """Cut `x` itself from its history, and return it."""
        raise NotImplementedError

    @part_of(Capability.DATA)
    def data(self, x: Native) -> Native:
        """Return `x.data`: an alias of `x` that neither records nor counts writes."""
        raise NotImplementedError

    @part_of(Capability.DATA)
    def set_data(self, x: Native, value: Native) -> None:
        """Make `x` use the storage of `value`, as `x.data = value` does."""
        raise NotImplementedError
