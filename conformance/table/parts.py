"""What forward functions are put together from, on arrays, complex numbers, jets and objects."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..truth.oracles.jets import constant
from .drawing import Array

Flag = bool | None
"""What is said of an option that is on or off, or nothing."""


class Ranked:
    """A table that gives no two entries of an array the same size, whatever was drawn.

    The sizes are powers of two times a factor, so that sums and differences of any of them are
    different as well; with 3/4 none of these is a power of two.
    """

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __getitem__(self, codes: Array) -> Array:
        ranks = np.argsort(np.argsort(codes, kind="stable"), kind="stable")
        sizes: Array = self.factor * 2.0 ** (ranks - 3)
        return np.where(codes % 2, -sizes, sizes)


RANKED: Any = Ranked(3 / 4)
"""Goes where a table of values goes, `fixed`, for up to eight entries."""

FIFTHFOLD: Any = Ranked(15 / 4)
"""The same, of sizes that are five times as large."""


def floats(x: Any) -> npt.NDArray[np.float64]:
    """The real values alone, as numbers of float64: what choices are made by."""
    return np.asarray(constant(x), np.float64)


def pick(condition: Any, x: Any, y: Any) -> Array:
    """Choose between what is computed: what was not chosen may be infinite, or no number."""
    result: Array = np.where(condition, x, y)
    return result


def magnitude(x: Array) -> Array:
    """The absolute value; of complex numbers, by their real parts."""
    return pick(floats(x) < 0, -x, x)


def between(x: Array, low: float | None, high: float | None) -> Array:
    """Move to the nearest point between the bounds."""
    at = floats(x)
    result = x if low is None else pick(at < low, low, x)
    return result if high is None else pick(at > high, high, result)


def softened(x: Array) -> Array:
    """Log of 1 + e ** x, without a power that is too large."""
    above = floats(x) > 0
    result: Array = np.log1p(np.exp(pick(above, -x, x))) + pick(above, x, 0)
    return result


def letters(name: str) -> tuple[str, ...]:
    """Split a list of words."""
    return tuple(name.split())
