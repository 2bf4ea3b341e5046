"""Whole numbers, bools and floats in one call of PyTorch, beside what numpy makes of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Meeting(NamedTuple):
    """Arguments of a function of PyTorch, and the array that it returns of them."""

    tensors: tuple[Array, ...]
    options: Mapping[str, Any]
    result: Array


Named = list[tuple[str, Meeting]]
"""Meetings, each with the name of the function."""

WHOLE = np.array([-7, -3, -1, 0, 1, 2, 5, 9])
"""No number of 64 bits is lost in a float of as many."""
PARTS = np.array([-7.5, -3.0, -0.5, 0.0, 1.0, 1.5, 5.0, 8.5])
COUNTS = np.array([0, 1, 2, 3, 4, 5, 6, 2])
HELD = np.array([True, False, True, True, False, True, False, True])
BYTES = np.array([[0, 200, 100], [0, 0, 0], [250, 3, 255]], np.uint8)
TIES = np.array([[2, 5, 5, 2], [7, 0, 7, 0], [-4, -4, -4, -4]])

COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def of_two(name: str, function: Callable[..., Any], *pairs: tuple[Array, Array]) -> Named:
    """Name what a function makes of pairs of arrays."""
    return [(name, Meeting((x, y), {}, function(x, y))) for x, y in pairs]


def along(name: str, function: Callable[..., Any], *arrays: Array) -> Named:
    """Name what a function makes of each axis of arrays, from either end."""
    return [
        (name, Meeting((x,), {"dim": dim}, np.asarray(function(x, axis=dim))))
        for x in arrays
        for dim in (0, -1)
    ]


def meetings() -> Iterator[tuple[str, Meeting]]:
    """Give the names of functions of PyTorch, and calls of them."""
    mixed = ((WHOLE, PARTS), (PARTS, WHOLE))
    for name, function in COMPARISONS.items():
        yield from of_two(name, function, *mixed, (WHOLE.astype(np.int8), 100 * WHOLE))
    yield from of_two("maximum", np.maximum, *mixed, (HELD, WHOLE))
    yield from of_two("minimum", np.minimum, *mixed, (HELD, WHOLE))
    yield "where", Meeting((HELD, WHOLE, PARTS), {}, np.where(HELD, WHOLE, PARTS))
    yield "where", Meeting((HELD, PARTS, WHOLE), {}, np.where(HELD, PARTS, WHOLE))
    # Numbers of Python make the default dtype of whole numbers.
    bounded = np.clip(WHOLE, -1.5, 2.5).astype(np.float32)
    yield "clamp", Meeting((WHOLE,), {"min": -1.5, "max": 2.5}, bounded)
    yield "clamp", Meeting((WHOLE,), {"min": -1, "max": 2}, np.clip(WHOLE, -1, 2))
    yield from (("pow", Meeting((WHOLE,), {"exponent": n}, WHOLE**n)) for n in range(5))
    yield from of_two("pow", np.power, (WHOLE, COUNTS), (PARTS, COUNTS))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield from of_two(name, getattr(np, name), (HELD, WHOLE), (WHOLE, HELD), (WHOLE, COUNTS))
    yield from of_two("bitwise_left_shift", np.left_shift, (WHOLE, COUNTS))
    yield from of_two("bitwise_right_shift", np.right_shift, (WHOLE, COUNTS), (COUNTS, COUNTS))
    held = BYTES > 0
    yield from along("cumsum", lambda x, axis: np.cumsum(x, axis, np.int64), held, BYTES)
    yield from along("cumprod", lambda x, axis: np.cumprod(x, axis, np.int64), held, BYTES, TIES)
    yield from along("count_nonzero", np.count_nonzero, held, BYTES, TIES)
    # Of uint8 these are uint8, as the documentation says.
    for name, function in (("any", np.any), ("all", np.all)):
        yield from along(name, function, held, TIES)
        yield from along(name, lambda x, axis, f=function: f(x, axis).astype(np.uint8), BYTES)
    for name in ("argmax", "argmin"):
        yield from along(name, getattr(np, name), TIES, TIES.T, TIES * 0.5, TIES.T * 0.5)


MEETINGS: Mapping[str, tuple[Meeting, ...]] = {
    name: tuple(one for other, one in meetings() if other == name)
    for name in sorted({name for name, _ in meetings()})
}
"""By the name of the function."""
