"""Exact derivatives of a function of numpy arrays, by complex step.

For analytic f and a tiny h, the imaginary part of f(x + ih) is h f'(x): no difference is taken, so
no digit is lost (Squire & Trapp, SIAM Review 40(1), 1998). A function that chooses by comparing
real parts is analytic on each side of its kinks.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Function = Callable[..., Any]

STEP = 2.0**-100
"""Of the imaginary part: its square is nothing beside any number, and it rounds nothing."""

WIDTH = 2.0**-9
"""Of a difference: there its truncation error and its rounding error are both about 1e-13."""

FOURTH = {1: 8 / 12, 2: -1 / 12}
SIXTH = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
"""Weights of central differences, odd in the distance (Fornberg, Math. Comp. 51, 1988)."""


def slopes(function: Function, arrays: Sequence[Array], directions: Sequence[Array]) -> Array:
    """Differentiate `function` at `arrays` along `directions`, one for each array."""
    moved = [x + 1j * STEP * d for x, d in zip(arrays, directions, strict=True)]
    with np.errstate(all="ignore"):
        result: Array = np.imag(function(*moved)) / STEP
    return result


def jacobians(function: Function, arrays: Sequence[Array]) -> list[Array]:
    """Differentiate `function` by every entry of each array: places of the result come first."""
    shape = np.shape(function(*arrays))
    found = []
    for position, x in enumerate(arrays):
        jacobian = np.empty((*shape, x.size))
        moved = [*arrays]
        for column, place in enumerate(np.ndindex(x.shape)):
            moved[position] = x.astype(np.complex128)
            moved[position][place] += 1j * STEP
            with np.errstate(all="ignore"):
                jacobian[..., column] = np.imag(function(*moved)) / STEP
        found.append(jacobian.reshape((*shape, *x.shape)))
    return found


def curvatures(
    function: Function, arrays: Sequence[Array], directions: Sequence[Array]
) -> list[tuple[Array, Array]]:
    """Differentiate the slope along `directions` by every entry: places of the result come first.

    The slope is taken by complex step, its derivative by a central difference of sixth order. How
    far that may be off stands beside it: what the difference of fourth order is off, which is more.
    What rounding of the slopes makes of it, over WIDTH, comes on top.
    """
    shape = np.shape(function(*arrays))
    found = []
    for position, x in enumerate(arrays):
        value, doubt = np.empty((2, *shape, x.size))
        moved = [*arrays]
        for column, place in enumerate(np.ndindex(x.shape)):
            sides = {}
            for distance in (*SIXTH, *(-d for d in SIXTH)):
                moved[position] = x.astype(np.float64)
                moved[position][place] += distance * WIDTH
                sides[distance] = slopes(function, moved, directions)
            fourth, sixth = (
                sum(weight * (sides[d] - sides[-d]) for d, weight in weights.items()) / WIDTH
                for weights in (FOURTH, SIXTH)
            )
            value[..., column] = sixth
            doubt[..., column] = np.abs(sixth - fourth)
        found.append((value.reshape((*shape, *x.shape)), doubt.reshape((*shape, *x.shape))))
    return found
