"""Operators and methods of Tensor, bound here because here all operations are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import elementwise, indexing, inplace, joining, linalg, reductions, scatter, shaping
from .elementwise import raw
from .engine import backward
from .hooks import register_hook, register_post_accumulate_grad_hook, retain_grad
from .tensor import Tensor

FUNCTIONS = {
    elementwise: "add sub mul div neg pow exp log sin cos tanh sqrt abs relu sigmoid maximum "
    "minimum clamp to",
    reductions: "sum mean prod amax amin logsumexp cumsum softmax log_softmax",
    linalg: "matmul",
    shaping: "view view_as reshape permute transpose swapaxes swapdims t movedim moveaxis squeeze "
    "unsqueeze expand flatten",
    joining: "unbind split chunk flip clone contiguous",
    indexing: "narrow select index_put",
    scatter: "gather scatter scatter_add",
    inplace: "add_ sub_ mul_ div_ neg_ exp_ sin_ relu_ sigmoid_ tanh_ clamp_ zero_ fill_ copy_ "
    "scatter_ scatter_add_ t_ squeeze_ unsqueeze_ detach detach_",
}


def _swapped(operation: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    return lambda self, other: operation(other, self)


def _comparison(compare: Callable[..., Any]) -> Callable[[Tensor, Any], Tensor]:
    """A comparison has no derivative: it gives an untracked boolean tensor."""
    return lambda self, other: Tensor.from_array(np.asarray(compare(self.array, raw(other))))


def _iterate(self: Tensor) -> Iterator[Tensor]:
    return iter(joining.unbind(self))


def _where(self: Tensor, condition: Any, other: Any) -> Any:
    return elementwise.where(condition, self, other)


def bind() -> None:
    """Give Tensor its methods and operators."""
    bound: dict[str, Any] = {
        name: getattr(module, name) for module, names in FUNCTIONS.items() for name in names.split()
    }
    for symbol, name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
        operation = bound[name]
        bound[f"__{symbol}__"] = operation
        bound[f"__r{symbol}__"] = _swapped(operation)
        bound[f"__i{symbol}__"] = bound[f"{name}_"]
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        bound[f"__{name}__"] = _comparison(
            {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}.get(
                name, np.equal if name == "eq" else np.not_equal
            )
        )
    bound |= {
        "__pow__": bound["pow"],
        "__rpow__": _swapped(bound["pow"]),
        "__matmul__": bound["matmul"],
        "__neg__": bound["neg"],
        "__abs__": bound["abs"],
        "__getitem__": indexing.index,
        "__setitem__": inplace.setitem,
        "__iter__": _iterate,
        "__hash__": object.__hash__,  # defining == would remove it
        "T": property(lambda self: shaping.permute(self, *reversed(range(self.ndim)))),
        "where": _where,
        "backward": backward,
        "register_hook": register_hook,
        "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
        "retain_grad": retain_grad,
    }
    for name, value in bound.items():
        setattr(Tensor, name, value)


bind()
