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
