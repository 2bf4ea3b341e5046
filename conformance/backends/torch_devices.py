"""PyTorch's devices."""

from typing import Any

import torch
from torch import Tensor

from ..protocol.network_api import NetworkApi


class TorchDevices(NetworkApi):
    """Where PyTorch keeps tensors, and how it moves them."""

    def to(self, x: Any, target: str, **options: bool) -> Any:
        dtype = getattr(torch, target, None)
        return x.to(dtype if isinstance(dtype, torch.dtype) else target, **options)

    def device_of(self, x: Tensor) -> str:
        return x.device.type

    def pin(self, x: Tensor) -> Tensor:
        return x.pin_memory()

    def is_pinned(self, x: Tensor) -> bool:
        return x.is_pinned()
