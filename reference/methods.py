"""Operators and methods of Tensor, bound here because here all operations are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import elementwise, indexing, reductions, shaping
from .engine import backward
from .hooks import register_hook, register_post_accumulate_grad_hook
from .tensor import Array, Tensor, raw

FUNCTIONS_ONLY = ("cat", "stack", "one_hot", "where")
COMPARISONS = {
    "__lt__": np.less,
    "__le__": np.less_equal,
    "__gt__": np.greater,
    "__ge__": np.greater_equal,
    "__eq__": np.equal,
    "__ne__": np.not_equal,
}


def _swapped(operation: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    return lambda self, other: operation(other, self)


def _comparison(compare: Callable[..., Array]) -> Callable[[Tensor, Any], Tensor]:
    """A comparison has no derivative: it gives an untracked boolean tensor."""
    return lambda self, other: Tensor.from_array(np.asarray(compare(self.array, raw(other))))


def bind() -> None:
    """Give Tensor its methods and operators."""
    bound: dict[str, Any] = {
        name: getattr(module, name)
        for module in (elementwise, indexing, reductions, shaping)
        for name in module.__all__
        if name not in FUNCTIONS_ONLY
    }
    for symbol, name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
        bound[f"__{symbol}__"] = bound[name]
        bound[f"__r{symbol}__"] = _swapped(bound[name])
        bound[f"__i{symbol}__"] = bound[f"{name}_"]
    bound |= {symbol: _comparison(compare) for symbol, compare in COMPARISONS.items()}
    bound |= {
        "__pow__": bound["pow"],
        "__rpow__": _swapped(bound["pow"]),
        "__matmul__": bound["matmul"],
        "__neg__": bound["neg"],
        "__abs__": bound["abs"],
        "__len__": lambda self: len(self.array),
        "__bool__": lambda self: bool(self.array),
        "__float__": lambda self: float(self.item()),
        "__int__": lambda self: int(self.item()),
        "__getitem__": indexing.getitem,
        "__setitem__": indexing.setitem,
        "__iter__": lambda self: iter(shaping.unbind(self)),
        "__hash__": object.__hash__,  # defining == would remove it
        "T": property(lambda self: shaping.permute(self, *reversed(range(self.ndim)))),
        "where": lambda self, condition, other: elementwise.where(condition, self, other),
        "backward": backward,
        "register_hook": register_hook,
        "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    }
    for name, value in bound.items():
        setattr(Tensor, name, value)


bind()
