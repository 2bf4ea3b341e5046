"""The part of the protocol for what is built on automatic differentiation: layers, optimizers, ...

This text is normative, as that of `Backend`, which inherits it. The library's own classes are asked
for by PyTorch's names and made with PyTorch's arguments.
"""

from collections.abc import Sequence
from typing import Any

from .capabilities import Capability, part_of


class Workshop:
    """What a backend may offer besides tensors and their derivatives."""

    @part_of(Capability.NN)
    def layer(self, name: str, *sizes: Any, dtype: str, device: str, **options: Any) -> Any:
        """Make the layer called `name`, such as `Linear`, with its parameters of `dtype`.

        It is callable, and has `parameters()`, `zero_grad(...)`, `train()` and `eval()`. The global
        random state is left as it was.
        """
        raise NotImplementedError

    @part_of(Capability.OPTIM)
    def optimizer(self, name: str, parameters: Sequence[Any], **options: Any) -> Any:
        """Make the optimizer called `name`, such as `SGD`, with `step()` and `zero_grad(...)`.

        `parameters` are tensors, or groups of them: dicts with a list under `params`.
        """
        raise NotImplementedError
