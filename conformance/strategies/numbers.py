"""Sizes, dtypes and numbers as they are written in Python."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
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


FRACTIONS = (0.0, -0.0, 1.5, -1.9, 2.999, -2.999, 100.75, 0.1, 1 / 3, 65000.0, math.nan)
WHOLE = (0, 1, -1, 127, -128, 300, -300, 2**31 + 5, -(2**40) + 3)

WHOLE_FUNCTIONS: Mapping[str, np.ufunc] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_not": np.bitwise_not,
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
    "gcd": np.gcd,
    "lcm": np.lcm,
}
"""Functions of integers alone."""


def entries(dtype: str) -> npt.NDArray[Any]:
    """List entries of a dtype, the awkward ones among them: zeros, ends, fractions and nan."""
    held: list[Any] = [*FRACTIONS]
    match np.dtype(dtype).kind:
        case "i" | "u":
            limits = np.iinfo(dtype)
            held = [n for n in (*WHOLE, limits.max, limits.min) if limits.min <= n <= limits.max]
        case "b":
            held = [0, 1]
    values = np.array(held, dtype)
    return values + 2j * values[::-1] if values.dtype.kind == "c" else values


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

ORDERED = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
"""Dtypes that operands have, those of one kind from narrow to wide."""

COMPLEX_OF = {"float16": "complex32", "float64": "complex128"}
"""Complex dtypes by that of their parts; those of all others are complex64."""


def _kind(dtype: str) -> int:
    """Rank the kinds of dtypes: bools, integers, floats, complex numbers."""
    return next(k for k, word in enumerate(("bool", "int", "float", "complex")) if word in dtype)


def _common(first: str, second: str) -> str:
    """Return the narrowest dtype of the higher kind of two that holds what both hold."""
    low, high = sorted((first, second), key=ORDERED.index)
    if high == "complex64" and low == "float64":
        return "complex128"
    if (low, high) == ("float16", "bfloat16"):
        return "float32"
    if (low, high) == ("uint8", "int8"):
        return "int16"
    return high


class Operand(NamedTuple):
    """One operand of a sum: a tensor of a dtype, with axes or 0-d, or a number of Python."""

    dtype: str
    form: str

    @property
    def value(self) -> Any:
        """Ones of the dtype: two of them in a row, a scalar, or what Python writes."""
        number = PYTHON_TYPES[self.dtype](1)
        return [number, number] if self.form == "vector" else number


DEFAULTS = ("bool", "int64", "float32", "complex64")
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
        return _common(first.dtype, second.dtype)
    if _kind(second.dtype) <= _kind(first.dtype):
        return first.dtype
    if "float" in first.dtype:
        return COMPLEX_OF.get(first.dtype, "complex64")
    return second.dtype


def held_by(dtype: str, other: str) -> bool:
    """Whether a sum of `dtype` may be written to a tensor of another one: its kind is no higher."""
    return _kind(dtype) <= _kind(other)


# ---- numbers that are none, or have no end -------------------------------------------------------

AWKWARD = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, math.inf, -math.inf, math.nan])
"""Zeros of both signs, infinities and nan among numbers."""

ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "sqrt": np.sqrt,
}
"""What IEEE 754 defines, the signs of zeros and of infinities included."""

WHOLE_PARTS: Mapping[str, Callable[..., Any]] = {
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
}
"""The same of roundings to integers."""

LIMITS: Mapping[str, Callable[..., Any]] = {
    "pow": np.power,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
}
"""Functions of which annex F of C99 says the same."""


def signs(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the signs of all entries, those of zeros too; nan has none."""
    return np.where(np.isnan(array), np.nan, np.copysign(1.0, array))


def applied(function: Callable[..., Any], dtype: str) -> tuple[list[npt.NDArray[Any]], Any]:
    """Return all pairs of awkward numbers, or each of them, and what `function` makes of them."""
    column = AWKWARD.astype(dtype)
    operands = [column] if getattr(function, "nin", 1) == 1 else [column[:, None], column]
    with np.errstate(all="ignore"):
        return operands, function(*operands)


def unrounded(array: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether an entry is a limit: zero, one or minus one, an infinity or no number at all."""
    limits: npt.NDArray[np.bool_] = np.isin(array, (0, 1, -1)) | ~np.isfinite(array)
    return limits
