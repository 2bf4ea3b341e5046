"""Derivatives of functions that nobody has a formula for, by central differences of a stated error.

With steps that halve, central differences err by even powers of the step, and their one-sided
disagreement, (F(h) - 2 F(0) + F(-h)) / h, by odd ones: both are extrapolated to no step at all (L.
Richardson and J. Gaunt, The deferred approach to the limit, 1927). Of every extrapolated number two
errors are stated, and the one with the smallest sum is taken:

- truncation: twice the larger of its distances to the two numbers that it was made of, as in C.
  Ridders, Accurate computation of F'(x) and F'(x)F''(x), Advances in Engineering Software 4 (1982);
- rounding: each value of F may be off by `ROUNDINGS` roundings of its magnitude, a difference by
  that over its step, and an extrapolated number by at most twice as much as the difference with the
  smallest step, because the factors (4**j + 1) / (4**j - 1) multiply to less than 2. (Of the
  disagreement they are (2**(2j-1) + 1) / (2**(2j-1) - 1), and multiply to less than 4.5.)

Where the disagreement does not vanish there is a kink, and any derivative between the two is right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite

from ..tolerance import ROUNDINGS

FIRST, LONGEST = 3, 16
"""The largest step is 2 to the power of minus the first; so many steps are taken at most."""

EXACT = 2.0**-34
"""Relative to the magnitude of what is differentiated, an error that needs no smaller one."""

USELESS = 2.0**-10
"""From this relative error on, differences decide nothing."""


@dataclass(frozen=True)
class Derivative:
    """What lies between `low` and `high` is a right derivative; each of them is good to `error`.

    `scale` is the magnitude that roundings are relative to. Where the error is infinite, because
    there is a jump, a pole, or the end of a domain, any derivative may be right.
    """

    low: float
    high: float
    error: float
    scale: float

    @property
    def known(self) -> bool:
        """Whether the differences decide anything."""
        return isfinite(self.error) and self.error <= USELESS * max(self.scale, abs(self.high))

    @property
    def smooth(self) -> bool:
        """Whether there is one derivative only."""
        return self.low == self.high


def derivative_of(
    function: Callable[[float], tuple[float, float]],
    roundoff: float,
    reach: float = 0.0,
    first: int = FIRST,
    enough: float = EXACT,
) -> Derivative:
    """Differentiate `function` at 0.

    It returns its value and a magnitude, the sum of its absolute terms, in arithmetic of a unit
    `roundoff`; `reach` is how large the inputs are that the step is added to, which rounds as well.
    The largest step is 2 to the power of minus `first`; an error that is `enough`, relative to the
    magnitude, ends the search for a smaller one.
    """
    middle, scale = function(0.0)
    if not isfinite(middle):
        return Derivative(0.0, 0.0, inf, scale)
    even: list[list[float]] = []
    odd: list[list[float]] = []
    best, jump = (0.0, inf), (0.0, inf)
    for power in range(first, first + LONGEST):
        step = 2.0**-power
        (right, more), (left, less) = function(step), function(-step)
        if not (isfinite(right) and isfinite(left)):
            # A step out of the domain tells nothing; smaller ones may stay in it.
            even, odd, best, jump = [], [], (0.0, inf), (0.0, inf)
            continue
        scale = max(scale, more, less)
        central = (right - left) / (2 * step)
        noise = roundoff * (ROUNDINGS * scale + 2 * reach * abs(central)) / step
        best = _extrapolated(even, central, [4.0**j for j in range(1, 8)], 2 * noise, best)
        bend = (right - 2 * middle + left) / step
        jump = _extrapolated(odd, bend, [2.0 ** (2 * j - 1) for j in range(1, 8)], 18 * noise, jump)
        if best[1] + jump[1] <= enough * max(scale, abs(best[0])):
            break
    value, error = best[0], best[1] + jump[1] / 2
    half = abs(jump[0]) / 2 if abs(jump[0]) > 2 * jump[1] else 0.0
    return Derivative(value - half, value + half, error, scale)


def _extrapolated(
    table: list[list[float]],
    value: float,
    factors: Sequence[float],
    noise: float,
    best: tuple[float, float],
) -> tuple[float, float]:
    """Add a row to a table of Romberg's, and return its best number so far and that one's error."""
    row = [value]
    for above, factor in zip(table[-1] if table else [], factors, strict=False):
        row.append((factor * row[-1] - above) / (factor - 1))
        truncation = 2 * max(abs(row[-1] - row[-2]), abs(row[-1] - above))
        if truncation + noise < best[1]:
            best = row[-1], truncation + noise
    table.append(row)
    return best
