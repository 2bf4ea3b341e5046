"""Derivatives by complex step: what jets are checked against, and what one number depends on.

For analytic f and a tiny h, the imaginary part of f(x + ih) is h f'(x): no difference is taken, so
no digit is lost (Squire & Trapp, SIAM Review 40(1), 1998). A function that chooses by comparing
real parts is analytic on each side of its kinks.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
STEP = 2.0**-600
"""A power of two, which costs no rounding; its square is 0, so real parts stay as they are."""


def directional_derivative(
    function: Callable[..., Array], at: Sequence[Array], along: Sequence[Array]
) -> Array:
    """Return the derivative of `function` at the point `at` in the direction `along`."""
    moved = [x + 1j * STEP * d for x, d in zip(at, along, strict=True)]
    return np.imag(function(*moved)) / STEP


def gradients(function: Callable[..., Array], *at: Array) -> list[Array]:
    """Return the derivative by every entry of each array: places of the result come last."""
    found = []
    for n, x in enumerate(at):
        still = [np.zeros(y.shape) for y in at]
        units = np.eye(x.size).reshape(x.size, *x.shape)
        derivatives = [
            directional_derivative(function, at, [*still[:n], unit, *still[n + 1 :]])
            for unit in units
        ]
        places = np.shape(derivatives[0] if derivatives else function(*at))
        found.append(np.array(derivatives).reshape((*x.shape, *places)))
    return found
