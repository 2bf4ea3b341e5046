"""PyTorch's layers and optimizers, as they are."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader

from ..protocol.network_api import NetworkApi


class TorchNetworkApi(NetworkApi):
    """What PyTorch offers besides tensors and their derivatives."""

    def layer(self, name: str, *sizes: Any, dtype: str, device: str, **options: Any) -> Any:
        # Parameters come from a generator; a claim must find the global one as it was.
        with torch.random.fork_rng(devices=[]):
            made = getattr(torch.nn, name)(*sizes, **options)
        return made.to(device, getattr(torch, dtype))

    def optimizer(self, name: str, parameters: Sequence[Any], **options: Any) -> Any:
        return getattr(torch.optim, name)(parameters, **options)

    # ---- mixed precision -------------------------------------------------------------------------

    def autocast(
        self, device: str, dtype: str, *, enabled: bool = True
    ) -> AbstractContextManager[object]:
        return torch.autocast(device, getattr(torch, dtype), enabled)

    def scaler(self, device: str, **options: Any) -> Any:
        return torch.amp.GradScaler(device, **options)

    # ---- distributions ---------------------------------------------------------------------------

    def distribution(self, name: str, *parameters: Any, **named: Any) -> Any:
        return getattr(torch.distributions, name)(*parameters, **named)

    def bijection(self, name: str, *parameters: Any) -> Any:
        return getattr(torch.distributions, name)(*parameters)

    def divergence(self, p: Any, q: Any) -> Any:
        return torch.distributions.kl_divergence(p, q)

    # ---- networks of one's own -------------------------------------------------------------------

    def module(self) -> type:
        return torch.nn.Module

    def parameter(self, x: Any, **options: Any) -> Any:
        return torch.nn.Parameter(x, **options)

    # ---- data sets -------------------------------------------------------------------------------

    def loader(self, dataset: Any, **options: Any) -> Any:
        return DataLoader(dataset, **options)

    def generator(self, seed: int, device: str = "cpu") -> Any:
        return torch.Generator(device).manual_seed(seed)

    # ---- files -----------------------------------------------------------------------------------

    def save(self, obj: Any, file: Path) -> None:
        torch.save(obj, file)

    def load(self, file: Path, **options: Any) -> Any:
        return torch.load(file, **options)
