"""What PyTorch does with whole functions: modules called with other parameters, transforms."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor

from ..protocol.lending import Lending


class TorchLending(Lending):
    """Functions written by others, in the hands of PyTorch."""

    transforms: ClassVar[Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {
        "compile": partial(torch.compile, backend="aot_eager"),
    }

    def opened(
        self, function: Callable[..., Any]
    ) -> tuple[Callable[..., Any], Mapping[str, Tensor]] | None:
        if not isinstance(function, torch.nn.Module):
            return None

        def call(parameters: dict[str, Tensor], *arguments: Any) -> Any:
            # Buffers stay what they are, in what they are: only their dtype follows the parameters.
            dtype = next((p.dtype for p in parameters.values()), None)
            buffers = {
                name: b.to(dtype) if b.is_floating_point() else b.clone()
                for name, b in function.named_buffers()
            }
            return torch.func.functional_call(function, {**buffers, **parameters}, arguments)

        return call, dict(function.named_parameters())
