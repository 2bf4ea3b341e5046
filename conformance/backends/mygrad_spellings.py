"""Other ways to write a function of MyGrad: methods, operators, NumPy's own functions, masks."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import mygrad
import numpy as np
from mygrad import tensor_base

from .numpy_names import along
from .numpy_spellings import in_ours
from .operators import OPERATORS

Function = Callable[..., Any]

THEIRS = """
any argmax argmin clip cumprod cumsum max mean min moveaxis prod ravel reshape squeeze std sum
swapaxes transpose var
"""
"""The methods of tensors."""

DISPATCHED = {
    f.__name__: f
    for f in (*tensor_base._REGISTERED_UFUNC, *tensor_base._REGISTERED_DIFFERENTIABLE_NUMPY_FUNCS)
}
"""Functions of NumPy that are MyGrad's where they meet a tensor."""


def method(name: str) -> Function:
    """Return a method as a function."""
    return lambda x, *rest, **known: getattr(x, name)(*rest, **known)


def one_more(x: Any, axis: int | None, *, keepdims: bool = False) -> Any:
    """Multiply along an axis and one of a single entry."""
    if axis is None or keepdims:
        return mygrad.prod(x, axis, keepdims)
    return mygrad.prod(x[..., None], (axis % x.ndim, x.ndim)) if x.ndim else mygrad.prod(x)


def masked(function: Function) -> Function:
    """Write every other entry into a tensor, and then the rest."""

    def call(*operands: Any) -> Any:
        like = function(*operands)
        every = np.arange(like.size).reshape(like.shape) % 2 == 0
        made = mygrad.zeros(like.shape, dtype=like.dtype)
        function(*operands, where=every, out=made)
        return function(*operands, where=~every, out=made)

    return call


def into(function: Function) -> Function:
    """Write into a tensor made for it."""

    def call(*operands: Any) -> Any:
        like = function(*operands)
        return function(*operands, out=mygrad.zeros(like.shape, dtype=like.dtype))

    return call


WAYS: Mapping[str, Mapping[str, Function]] = {
    "method": in_ours(SimpleNamespace(**{name: method(name) for name in THEIRS.split()})),
    "operator": {name: f for name, f in OPERATORS.items() if name != "abs"},
    "numpy": {
        **in_ours(SimpleNamespace(**DISPATCHED)),
        "where": lambda condition, x, y: np.where(mygrad.asarray(condition), x, y),
        "repeat_interleave_counts": lambda x, counts, dim: np.repeat(x, counts.data, dim),
    },
    "several axes": {"prod": along(one_more)},
}
"""Ways to write, by a word: a tensor has no absolute value in Python's words."""


def spellings_of(name: str, function: Function) -> Mapping[str, Function]:
    """Return other ways to write a function, by a word for each."""
    found = {word: ways[name] for word, ways in WAYS.items() if name in ways}
    if isinstance(function, type) and issubclass(function, mygrad.ufunc):
        found["into"] = into(function)
        if type(function) is not type(mygrad.matmul):
            found["masked"] = masked(function)
    return {word: other for word, other in found.items() if other is not function}
