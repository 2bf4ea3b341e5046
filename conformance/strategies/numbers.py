"""Sizes, dtypes and numbers as they are written in Python."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int64", "int32", "int16", "int8")
DTYPES = (*FLOATS, *INTEGERS, "uint8", "bool", "complex64", "complex128")
"""Dtypes by numpy's names; wrapping unsigned integers are none of the `INTEGERS`."""

NUMBERS = (2, 2.5, True, 1j, -3, -0.5, False, 0, 0.0, 2 - 1j)
"""Numbers of every kind that Python writes, exact in every float dtype."""

NO_DATA: tuple[Any, ...] = (
    "a",
    ["a"],
    [["ab"], ["c"]],
    b"a",
    None,
    [None],
    [1.0, None],
    {},
    {1: 2},
    [1, "a"],
)
"""Values that are no numbers, nor sequences of numbers."""


@cache
def sizes(min_dims: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw up to four sizes; one of them may be 0."""
    return st.lists(st.integers(0, 3), min_size=min_dims, max_size=4).map(tuple)


PYTHON_TYPES = {
    **dict.fromkeys((*FLOATS, "bfloat16"), float),
    **dict.fromkeys((*INTEGERS, "uint8"), int),
    **dict.fromkeys(("complex64", "complex128"), complex),
    "bool": bool,
}
"""What Python calls an entry of each dtype."""


# ---- operands of several dtypes ------------------------------------------------------------------

ORDERED = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64")


def _kind(dtype: str) -> int:
    """Rank the kinds of dtypes: bools, integers, floats."""
    return "biuf".index(np.dtype(dtype).kind) + 1 >> 1


def _common(dtypes: Sequence[str]) -> str:
    """Return the dtype of a sum of tensors that all have axes: of the highest kind, wide enough."""
    top = max(map(_kind, dtypes))
    return str(np.result_type(*[dtype for dtype in dtypes if _kind(dtype) == top]))


class Operand(NamedTuple):
    """One operand of a sum: a tensor of a dtype, with axes or 0-d, or a number of Python."""

    dtype: str
    form: str

    @property
    def value(self) -> Any:
        """Ones of the dtype: two of them in a row, a scalar, or what Python writes."""
        number = PYTHON_TYPES[self.dtype](1)
        return [number, number] if self.form == "vector" else number


DEFAULTS = ("bool", "int64", "float32")
"""The dtypes that numbers of Python stand for."""

FORMS = ("vector", "scalar", "number")
"""Forms of an operand; each counts against the ones before it only if its kind is higher."""


OPERANDS = tuple(
    Operand(dtype, form) for form in FORMS for dtype in (ORDERED if form != "number" else DEFAULTS)
)
TENSORS = tuple(operand for operand in OPERANDS if operand.form != "number")


def dtype_of_sum(x: Operand, y: Operand) -> str:
    """Return the dtype that the sum of two operands has."""
    first, second = sorted((x, y), key=lambda operand: FORMS.index(operand.form))
    if first.form == second.form:
        return _common((first.dtype, second.dtype))
    return second.dtype if _kind(second.dtype) > _kind(first.dtype) else first.dtype
