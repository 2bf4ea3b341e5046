"""PyTorch's transforms of functions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..protocol.transforms import Transforms

Function = Callable[..., Tensor]


class TorchTransforms(Transforms):
    """torch.func, and what torch.autograd has beside it."""

    def vmap(
        self, function: Function, in_axes: Sequence[int | None], out_axis: int = 0
    ) -> Function:
        mapped: Function = torch.func.vmap(function, tuple(in_axes), out_axis)
        return mapped

    def pulled(
        self, function: Function, inputs: Sequence[Tensor], cotangent: Tensor
    ) -> Sequence[Tensor]:
        gradients: Sequence[Tensor] = torch.func.vjp(function, *inputs)[1](cotangent)
        return gradients

    def pushed(
        self, function: Function, inputs: Sequence[Tensor], tangents: Sequence[Tensor]
    ) -> Tensor:
        tangent: Tensor = torch.func.jvp(function, tuple(inputs), tuple(tangents))[1]
        return tangent

    def jacrev(self, function: Function) -> Function:
        return torch.func.jacrev(function)

    def jacfwd(self, function: Function) -> Function:
        return torch.func.jacfwd(function)

    def gradient_of(self, function: Function, which: int | tuple[int, ...]) -> Callable[..., Any]:
        made: Callable[..., Any] = torch.func.grad(function, which)
        return made

    def value_and_gradient_of(
        self, function: Function, which: int | tuple[int, ...]
    ) -> Callable[..., tuple[Tensor, Any]]:
        def made(*inputs: Tensor) -> tuple[Tensor, Any]:
            gradient, value = torch.func.grad_and_value(function, which)(*inputs)
            return value, gradient

        return made

    def gradient_and_rest_of(
        self, function: Callable[..., tuple[Tensor, Tensor]], which: int
    ) -> Callable[..., tuple[Tensor, Tensor]]:
        made: Callable[..., tuple[Tensor, Tensor]] = torch.func.grad(function, which, has_aux=True)
        return made

    def with_pullback(self, function: Function, pullback: Callable[..., Any]) -> Function:
        def keep(ctx: Any, inputs: Sequence[Tensor], output: Tensor) -> None:
            del output
            ctx.save_for_backward(*inputs)

        def backward(ctx: Any, cotangent: Tensor) -> tuple[Tensor, ...]:
            return tuple(pullback(ctx.saved_tensors, cotangent))

        rule = {
            "forward": staticmethod(function),
            "setup_context": staticmethod(keep),
            "backward": staticmethod(backward),
            "generate_vmap_rule": True,
        }
        ruled: Any = type("Ruled", (torch.autograd.Function,), rule)
        made: Function = ruled.apply
        return made

    def linearize(self, function: Function, *inputs: Tensor) -> tuple[Tensor, Function]:
        value, push = torch.func.linearize(function, *inputs)
        return value, push

    def batched(
        self, y: Tensor, inputs: Sequence[Tensor], cotangents: Tensor
    ) -> Sequence[Tensor | None]:
        return torch.autograd.grad(y, inputs, cotangents, is_grads_batched=True)

    def functional_call(
        self, module: Any, parameters: Mapping[str, Tensor], *inputs: Tensor
    ) -> Tensor:
        result: Tensor = torch.func.functional_call(module, dict(parameters), inputs)
        return result
