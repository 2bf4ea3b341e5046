"""Operators of Python, by the operations that they write."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "neg": operator.neg,
    "abs": operator.abs,
    "matmul": operator.matmul,
    "remainder": operator.mod,
    "floor_divide": operator.floordiv,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
