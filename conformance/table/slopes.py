"""Slopes that are small: of functions that come to a limit, and of those that are even or odd.

They are written so that nothing cancels. A formula that takes a result away from the limit of the
function, or a slope from that of the other side, has no digits left of them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..truth.floats import FLOATS
from ..truth.oracles.elementary import sigmoid
from ..truth.oracles.special import erfc
from ..truth.tolerance import Total
from .drawing import Array
from .points import Grid, fixed

BOTH = np.array([sign * size for size in (0.5, 5.0, 9.0, 13.0, 18.0, 38.0, 80.0)
                 for sign in (1.0, -1.0)])  # fmt: skip
"""Where exponentials leave the digits of 16, 32 and 64 bits, at either side."""

BELOW = BOTH[BOTH < 0]
TINY = np.array([2.0**-10, -(2.0**-13), 2.0**-30, -(2.0**-67), 2.0**-100, 2.0**-200])
NEAR = np.append(BOTH[np.abs(BOTH) < 19], TINY)
"""Where PyTorch documents no softplus that is straight, and next to zero."""

ROOM = 2.0**12
"""How far from the smallest and the largest numbers of a dtype a slope lies that is asked for."""


class Slopes(NamedTuple):
    """The slope of a function and the slope of that, and the points at which each is asked for."""

    first: Callable[[Array], Array]
    second: Callable[[Array], Array]
    points: Array = BOTH
    second_points: Array = BOTH


def bell(x: Array) -> Array:
    """The slope of a sigmoid: even, and at either side like a power of e."""
    small = np.exp(-np.abs(x))
    result: Array = small / (1 + small) ** 2
    return result


def normal(x: Array) -> Array:
    """The density of the normal distribution."""
    result: Array = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return result


def waves(x: Array) -> tuple[Array, Array]:
    """The slope of sin(pi x) / (pi x) next to zero, and the slope of that."""
    square = (np.pi * x) ** 2
    first: Array = -(np.pi**2) * x / 3 * (1 - square / 10 * (1 - square / 28))
    second: Array = -(np.pi**2) / 3 * (1 - 3 * square / 10 * (1 - 5 * square / 84))
    return first, second


def mish(x: Array) -> tuple[Array, Array]:
    """The slope of mish below zero, and the slope of that."""
    e = np.exp(x)
    whole, top = e * e + 2 * e + 2, 4 * e * (e + 1)
    slope = top / whole**2
    bent = 4 * e * (2 * e + 1) / whole**2 - 4 * e * (e + 1) * top / whole**3
    first: Array = e * (e + 2) / whole + x * slope
    second: Array = 2 * slope + x * bent
    return first, second


def mills(x: Array) -> Array:
    """The density of the normal distribution above zero, over what lies below."""
    result: Array = normal(x) / (1 - erfc(x / np.sqrt(2)) / 2)
    return result


def bessel(x: Array) -> list[Array]:
    """The function i0 next to zero, and its slopes up to the third."""
    by_power = np.polynomial.Polynomial([1, 0, 1 / 4, 0, 1 / 64, 0, 1 / 2304, 0, 1 / 147456])
    return [by_power.deriv(order)(x) for order in range(4)]


CURVED = np.append(BOTH, TINY)
ABOVE = BOTH[BOTH > 0]

SLOPES = {
    "sigmoid": Slopes(bell, lambda x: -bell(x) * np.tanh(x / 2), BOTH, CURVED),
    "tanh": Slopes(
        lambda x: 4 * bell(2 * x), lambda x: -8 * bell(2 * x) * np.tanh(x), BOTH, CURVED
    ),
    "softplus": Slopes(sigmoid, bell, BELOW, NEAR),
    "logsigmoid": Slopes(lambda x: sigmoid(-x), lambda x: -bell(x)),
    "silu": Slopes(
        lambda x: sigmoid(x) * (1 + x * sigmoid(-x)),
        lambda x: bell(x) * (2 - x * np.tanh(x / 2)),
        BELOW,
    ),
    "gelu": Slopes(
        lambda x: erfc(-x / np.sqrt(2)) / 2 + x * normal(x), lambda x: normal(x) * (2 - x * x),
        BELOW,
    ),
    "erf": Slopes(
        lambda x: 2 * np.sqrt(2) * normal(np.sqrt(2) * x),
        lambda x: -4 * np.sqrt(2) * x * normal(np.sqrt(2) * x), BOTH, CURVED,
    ),
    "erfc": Slopes(
        lambda x: -2 * np.sqrt(2) * normal(np.sqrt(2) * x),
        lambda x: 4 * np.sqrt(2) * x * normal(np.sqrt(2) * x), BOTH, CURVED,
    ),
    "ndtr": Slopes(normal, lambda x: -x * normal(x), BOTH, CURVED),
    "atan": Slopes(
        lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2, BOTH, CURVED
    ),
    "elu": Slopes(np.exp, np.exp, BELOW, BELOW),
    "expm1": Slopes(np.exp, np.exp, BELOW, BELOW),
    "mish": Slopes(lambda x: mish(x)[0], lambda x: mish(x)[1], BELOW, BELOW),
    "log_ndtr": Slopes(mills, lambda x: -mills(x) * (x + mills(x)), ABOVE, ABOVE),
    "tanhshrink": Slopes(
        lambda x: np.tanh(x) ** 2, lambda x: 8 * bell(2 * x) * np.tanh(x), TINY, CURVED
    ),
    "sinc": Slopes(lambda x: waves(x)[0], lambda x: waves(x)[1], TINY, TINY),
    "sin": Slopes(np.cos, lambda x: -np.sin(x), TINY, TINY),
    "cos": Slopes(lambda x: -np.sin(x), lambda x: -np.cos(x), TINY, TINY),
    "tan": Slopes(
        lambda x: 1 / np.cos(x) ** 2, lambda x: 2 * np.tan(x) / np.cos(x) ** 2, TINY, TINY
    ),
    "sinh": Slopes(np.cosh, np.sinh, TINY, TINY),
    "cosh": Slopes(np.sinh, np.cosh, TINY, TINY),
    "asin": Slopes(lambda x: (1 - x * x) ** -0.5, lambda x: x * (1 - x * x) ** -1.5, TINY, TINY),
    "acos": Slopes(
        lambda x: -((1 - x * x) ** -0.5), lambda x: -x * (1 - x * x) ** -1.5, TINY, TINY
    ),
    "asinh": Slopes(lambda x: (1 + x * x) ** -0.5, lambda x: -x * (1 + x * x) ** -1.5, TINY, TINY),
    "atanh": Slopes(lambda x: 1 / (1 - x * x), lambda x: 2 * x / (1 - x * x) ** 2, TINY, TINY),
    "i0": Slopes(lambda x: bessel(x)[1], lambda x: bessel(x)[2], TINY, TINY),
    "i1": Slopes(lambda x: bessel(x)[2], lambda x: bessel(x)[3], TINY, TINY),
}  # fmt: skip
"""By the name of the operation."""


def slopes_of(grid: Grid, dtype: str, order: int) -> tuple[Grid, Total]:
    """Ask at points of a `dtype`; return its weighted slope there, or for `order` 2 that of this.

    Left out is what comes near the ends of the range of the dtype, and of second derivatives that
    of which the cube does, which stands in formulas for them. Rounding the argument once, which
    nobody is better than, changes a power of e by as much as its exponent is large.
    """
    function, limits = SLOPES[grid.operation.name], FLOATS[dtype]
    points = (function.points, function.second_points)[order - 1]
    true = (function.first, function.second)[order - 1](points)
    least = ROOM * limits.normal if order == 1 else limits.normal ** (1 / 3)
    held = np.minimum(np.abs(true), np.abs(points)) > least
    asked, slope = grid.at((fixed(points[held]),)), true[held]
    slope = slope * asked.cotangent * (asked.tangents[0] if order == 2 else 1)
    magnitude = np.abs(slope) * (1 + np.abs(points[held]) + points[held] ** 2)
    return asked, Total(slope, magnitude, 1, error_bound=1e-15 * magnitude)
