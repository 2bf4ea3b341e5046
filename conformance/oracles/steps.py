"""Derivatives by complex step.

For analytic f and a tiny h, the imaginary part of f(x + ih) is h f'(x): no difference is taken, so
no digit is lost (Squire & Trapp, SIAM Review 40(1), 1998).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
STEP = 2.0**-600
"""A power of two, which costs no rounding; its square is 0, so real parts stay as they are."""


def slope(function: Callable[..., Array], at: Sequence[Array], along: Sequence[Array]) -> Array:
    """Return the derivative of `function` at the point `at` in the direction `along`."""
    moved = [x + 1j * STEP * d for x, d in zip(at, along, strict=True)]
    return np.imag(function(*moved)) / STEP


def gradients(function: Callable[..., Array], *at: Array) -> list[Array]:
    """Return the gradient of a function with a single number as value, for each of its arrays."""
    found = []
    for n, x in enumerate(at):
        along, slopes = [np.zeros(y.shape) for y in at], []
        for along[n] in np.eye(x.size).reshape(-1, *x.shape):
            slopes.append(slope(function, at, along))
        found.append(np.array(slopes).reshape(x.shape))
    return found
