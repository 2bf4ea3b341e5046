"""Control flow of PyTorch that a compiler sees: prototypes, as its documentation calls them."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._higher_order_ops import associative_scan, scan

from ..protocol.control import ControlFlow


class TorchControlFlow(ControlFlow):
    """torch.cond, torch.while_loop, and both scans, which have no public name yet."""

    def scan(
        self,
        step: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
        carry: Tensor,
        rows: Tensor,
        *,
        reverse: bool = False,
    ) -> tuple[Tensor, Tensor]:
        last, results = scan(step, carry, rows, reverse=reverse)
        return last, results

    def associative_scan(self, joined: Callable[[Tensor, Tensor], Tensor], rows: Tensor) -> Tensor:
        result: Tensor = associative_scan(joined, rows, 0, combine_mode="generic")
        return result

    def branch(
        self,
        predicate: Tensor,
        first: Callable[..., Tensor],
        second: Callable[..., Tensor],
        *operands: Tensor,
    ) -> Tensor:
        result: Tensor = torch.cond(predicate, first, second, operands)
        return result

    def while_loop(
        self,
        condition: Callable[[Tensor], Tensor],
        body: Callable[[Tensor], Tensor],
        start: Tensor,
    ) -> Tensor:
        loop: Any = torch.while_loop
        (result,) = loop(condition, lambda x: (body(x),), (start,))
        last: Tensor = result
        return last
