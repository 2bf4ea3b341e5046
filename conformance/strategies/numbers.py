"""Sizes, dtypes and numbers as they are written in Python."""

from functools import cache
from typing import Any

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
