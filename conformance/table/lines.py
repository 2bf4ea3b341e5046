"""Derivatives along a line through the tangents of a call, of its result paired with its cotangent.

Along a line every order is a number, whichever mode it is found by. Half of the digits are asked:
how rounding is carried through so many derivatives no error model says.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.subject import Subject
from ..truth.oracles.jets import Jet
from ..truth.tolerance import unit_roundoff
from .call import Call

Array = npt.NDArray[np.float64]
Function = Callable[[Native], Native]

STEP = 2.0**-14
"""So far apart second derivatives are compared: four steps stay on one side of any kink."""

# ---- what a subject makes of it ------------------------------------------------------------------


def line_on(be: Subject, call: Call) -> Function:
    """Return the weighted result as a function of the way along the line."""

    def along(way: Native) -> Native:
        tensors = [
            be.add(be.tensor(x), be.mul(way, be.tensor(tangent)))
            for x, tangent in zip(call.tensors, call.tangents, strict=True)
        ]
        return be.sum(be.mul(call.on(be)(*tensors), be.tensor(call.cotangent)))

    return along


def recorded(be: Subject, function: Function) -> Function:
    """Differentiate a function by a pullback that is recorded."""

    def derivative(way: Native) -> Native:
        _, pull = be.vjp(function, way, create_graph=True)
        (gradient,) = pull(be.tensor(1.0))
        return be.tensor(0.0) if gradient is None else gradient

    return derivative


def pushed(be: Subject, function: Function) -> Function:
    """Differentiate a function by forward mode."""
    return lambda way: be.pushed(function, [way], [be.tensor(1.0)])


def pulled(be: Subject, function: Function) -> Function:
    """Differentiate a function by reverse mode, within other transforms."""
    return lambda way: be.pulled(function, [way], be.tensor(1.0))[0]


# ---- what is true --------------------------------------------------------------------------------


def second(call: Call, dtype: str) -> tuple[Array, Array]:
    """Return between what the second derivative lies, and once more, as the sum of itself."""
    parts = _along(call, 0.0)
    return _between(parts[-1], 0.0, parts, dtype)


def third(call: Call, dtype: str) -> tuple[Array, Array]:
    """Return the same of the third derivative, by differences of second ones.

    Source: Abramowitz & Stegun, 25.3.6. What ways twice as long give otherwise is its error bound.
    """
    lines = {n: _along(call, n * STEP) for n in (-4, -2, -1, 1, 2, 4)}
    curves = {n: curve for n, (*_, curve) in lines.items()}
    near, far = (
        (curves[-2 * n] - 8 * curves[-n] + 8 * curves[n] - curves[2 * n]) / (12 * n * STEP)
        for n in (1, 2)
    )
    return _between(near, np.abs(near - far).sum(), [near, *lines[1]], dtype)


def _along(call: Call, way: float) -> list[Array]:
    """The value and two derivatives along the line, of each entry of the result with its weight."""
    if not any(x.size for x in call.tensors):
        return [np.zeros(1)] * 3
    moved = [x + way * tangent for x, tangent in zip(call.tensors, call.tangents, strict=True)]
    numbers = call.followed(Jet.lines(moved, call.tangents)).numbers[0]
    return [each * call.cotangent for each in (numbers[0, 0], numbers[0, 1], numbers[1, 1])]


def _between(
    value: Array, error_bound: float, parts: list[Array], dtype: str
) -> tuple[Array, Array]:
    # What cancels is of the size of any of the derivatives, or of the tensors, which is about 1.
    size = 1 + np.abs(parts).max(0).sum()
    slack = error_bound + 16 * math.sqrt(unit_roundoff(dtype)) * size
    return np.full(2, value.sum() - slack), np.full(2, value.sum() + slack)
