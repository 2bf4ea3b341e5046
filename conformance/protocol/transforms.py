"""The part of the protocol that is about transforms: functions made of functions of tensors.

This text is normative, as that of `Backend`, which inherits it. Functions take tensors and have one
tensor as result, unless said otherwise. Transforms may stand within each other: a function handed
to one of these methods may call another of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .capabilities import Capability, part_of

Native = Any
Function = Callable[..., Native]


class Transforms:
    """What a backend makes of functions besides their derivatives at a point."""

    @part_of(Capability.VMAP)
    def vmap(
        self, function: Function, in_axes: Sequence[int | None], out_axis: int = 0
    ) -> Function:
        """Return `function` mapped over an axis of each argument; None maps over none of it.

        Its results are put together along `out_axis`.
        """
        raise NotImplementedError

    @part_of(Capability.TRANSFORMS)
    def pulled(
        self, function: Function, inputs: Sequence[Native], cotangent: Native
    ) -> Sequence[Native]:
        """Return the gradients of `function` at `inputs`, by reverse mode."""
        raise NotImplementedError

    @part_of(Capability.TRANSFORMS)
    def pushed(
        self, function: Function, inputs: Sequence[Native], tangents: Sequence[Native]
    ) -> Native:
        """Return the derivative of `function` at `inputs` along `tangents`, by forward mode."""
        raise NotImplementedError

    @part_of(Capability.JACOBIANS)
    def jacrev(self, function: Function) -> Function:
        """Return what computes all derivatives by the first argument, by reverse mode.

        Indices of the result come first, then those of the argument.
        """
        raise NotImplementedError

    @part_of(Capability.JACOBIANS)
    def jacfwd(self, function: Function) -> Function:
        """Return what computes all derivatives by the first argument, by forward mode."""
        raise NotImplementedError

    @part_of(Capability.GRADIENT_FUNCTIONS)
    def gradient_of(self, function: Function, which: int | tuple[int, ...]) -> Callable[..., Any]:
        """Return what computes the gradient of a number by an argument, counted from 0.

        Of several arguments, named from the first one on, the gradients are a sequence.
        """
        raise NotImplementedError

    @part_of(Capability.GRADIENT_FUNCTIONS)
    def value_and_gradient_of(
        self, function: Function, which: int | tuple[int, ...]
    ) -> Callable[..., tuple[Native, Any]]:
        """Return what computes the number, and what `gradient_of` computes."""
        raise NotImplementedError

    @part_of(Capability.GRADIENT_FUNCTIONS)
    def gradient_and_rest_of(
        self, function: Callable[..., tuple[Native, Native]], which: int
    ) -> Callable[..., tuple[Native, Native]]:
        """Return what computes the gradient of the first of two results, and the second one."""
        raise NotImplementedError

    @part_of(Capability.RULES)
    def with_pullback(
        self,
        function: Function,
        pullback: Callable[[Sequence[Native], Native], Sequence[Native]],
    ) -> Function:
        """Return `function` with the gradients that `pullback` returns, one for each argument.

        It is asked with the arguments and the cotangent.
        """
        raise NotImplementedError

    @part_of(Capability.LINEARIZE)
    def linearize(self, function: Function, *inputs: Native) -> tuple[Native, Function]:
        """Return `function(*inputs)`, and its derivative there as a function of tangents."""
        raise NotImplementedError

    @part_of(Capability.BATCHED)
    def batched(
        self, y: Native, inputs: Sequence[Native], cotangents: Native
    ) -> Sequence[Native | None]:
        """Return the gradients of `y` for several cotangents at once, which lie along axis 0."""
        raise NotImplementedError

    @part_of(Capability.FUNCTIONAL)
    def functional_call(
        self, module: Any, parameters: Mapping[str, Native], *inputs: Native
    ) -> Native:
        """Return what `module` computes with `parameters` in place of its own of these names."""
        raise NotImplementedError
