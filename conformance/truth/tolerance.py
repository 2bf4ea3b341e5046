"""How far a computed value may lie from the true one.

The model is the standard one of rounding error analysis (N. Higham, Accuracy and Stability of
Numerical Algorithms, 2nd ed., sections 2.2, 3.1 and 4.2): every operation returns its exact result
times 1 + d with |d| <= u, u being half the machine epsilon. So k operations in a row cost at most
gamma(k) = k u / (1 - k u), and a sum of n terms, in any order, is off by at most
gamma(n - 1) times the sum of their magnitudes.

Below the smallest normal number the spacing stays the same, so there each operation may also lose
one spacing (section 2.2); and what rounds to the true value, infinity included, is never refused.

A claim therefore never states a tolerance. It states the true value; where that is a sum in which
terms may cancel, it states the terms, as a `Total`, and where it is computed by a formula that
rounds, it runs the formula on jets (`oracles.jets`), which find out. Inputs drawn by our strategies
are short binary fractions, so most values are exact in every dtype and the bound is met with room
to spare.

What is called true is itself computed, in float64. How far it may be off is stated beside it, as
its error bound, and is added to what is allowed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .floats import FLOATS, rounded

ROUNDINGS = 16
"""Roundings granted to one term: a few operations, or two elementary functions of 4 ulp each."""


AT_THE_END = 2
"""Roundings granted to a result of 16 bits that is computed in float32."""


LOST = 1024
"""How many times the smallest normal number may be lost where results may be flushed.

IEEE 754 leaves it to whoever is fast to take subnormal numbers for zero, in the middle of a formula
as well, where what is lost may be multiplied afterwards.
"""


@dataclass(frozen=True)
class Total:
    """A true value given as the sum of `count` terms.

    `value` and `magnitude` (the sum of the absolute terms) are float64, in the result's shape. Each
    term may have met `roundings`; the value itself may be off by `error_bound`. Where results may
    be `flushed`, the smallest ones may be lost as zero: see LOST.
    """

    value: npt.NDArray[np.float64]
    magnitude: npt.NDArray[np.float64]
    count: int
    roundings: int = ROUNDINGS
    error_bound: npt.NDArray[np.float64] | float = 0.0
    flushed: bool = False

    @classmethod
    def of(cls, *terms: npt.ArrayLike) -> "Total":
        """Add `terms`, broadcast against each other, entry by entry."""
        stack = np.stack(np.broadcast_arrays(*[np.asarray(t, np.float64) for t in terms]))
        return cls.along(stack, 0)

    @classmethod
    def along(cls, terms: npt.ArrayLike, axis: int | tuple[int, ...] | None = None) -> "Total":
        """Add the entries of `terms` along `axis`, or all of them."""
        array = np.asarray(terms, np.float64)
        value, magnitude = array.sum(axis), np.abs(array).sum(axis)
        count = array.size // max(1, value.size)
        return cls(value, magnitude, count, error_bound=_added([array], magnitude, count - 1))

    @classmethod
    def onto(cls, terms: npt.ArrayLike, shape: tuple[int, ...]) -> "Total":
        """Add up what broadcasting an array of `shape` to the shape of `terms` has repeated."""
        array = np.asarray(terms, np.float64)
        padded = (1,) * (array.ndim - len(shape)) + shape
        axes = tuple(a for a, size in enumerate(padded) if size == 1)
        value, magnitude = (t.sum(axes).reshape(shape) for t in (array, np.abs(array)))
        count = array.size // max(1, value.size)
        return cls(value, magnitude, count, error_bound=_added([array], magnitude, count - 1))

    @classmethod
    def matmul(cls, x: npt.ArrayLike, y: npt.ArrayLike) -> "Total":
        """Multiply matrices: every entry of `x @ y` is a sum of `x.shape[-1]` products."""
        a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
        count, magnitude = a.shape[-1], np.abs(a) @ np.abs(b)
        return cls(a @ b, magnitude, count, error_bound=_added([a, b], magnitude, count))

    @classmethod
    def products(
        cls, function: Callable[..., Any], *factors: npt.ArrayLike, **options: Any
    ) -> "Total":
        """Apply a `function` each of whose results is a sum of products of entries of `factors`.

        It is applied to their magnitudes as well, and to ones, which counts the terms.
        """
        arrays = [np.asarray(f, np.float64) for f in factors]
        value, magnitude, counts = (
            np.asarray(function(*map(read, arrays), **options))
            for read in (np.asarray, np.abs, np.ones_like)
        )
        count = int(counts.max(initial=1))
        roundings = count + len(arrays) - 2
        return cls(value, magnitude, count, error_bound=_added(arrays, magnitude, roundings))

    @classmethod
    def again(cls, found: Sequence[npt.ArrayLike], true: Sequence["Total"]) -> "Total":
        """Return what the sum of `found` is if it is computed once more, in another way.

        Both may be off by as much as is allowed around what is `true` of each term.
        """
        value = np.sum([np.asarray(f, np.float64) for f in found], axis=0)
        magnitude = np.sum([t.magnitude for t in true], axis=0)
        error_bound = np.sum([np.broadcast_to(t.error_bound, value.shape) for t in true], axis=0)
        count = sum(t.count for t in true)
        roundings, flushed = max(t.roundings for t in true), any(t.flushed for t in true)
        return cls(value, 2 * magnitude, count, roundings, 2 * error_bound, flushed)

    def rounded_once(self, dtype: str) -> "Total":
        """The same value where dtypes of 16 bits are computed in float32, and rounded at the end.

        How far it may be off then depends on the result, and hardly on the terms. In other dtypes
        nothing changes.
        """
        if unit_roundoff(dtype) <= unit_roundoff("float32"):
            return self
        computed, size = allowed_error(self, "float32"), np.abs(self.value)
        return replace(self, magnitude=size, count=1, roundings=AT_THE_END, error_bound=computed)

    def less(self, other: "Total") -> "Total":
        """Take another true value away; both are computed, and their terms add up."""
        return Total(
            self.value - other.value,
            self.magnitude + other.magnitude,
            self.count + other.count,
            error_bound=self.error_bound + other.error_bound,
        )

    def miss(self, got: npt.NDArray[Any], at: tuple[Any, ...], dtype: str) -> str:
        """Say what was expected of an entry, how far it is off, and how far it may be."""
        want, allowed = self.value[at].item(), allowed_error(self, dtype)[at]
        error_bound, off = (
            np.broadcast_to(self.error_bound, self.value.shape)[at],
            abs(float(got[at]) - want),
        )
        itself = f" (itself within {error_bound:.2g})" if error_bound else ""
        return f"{want!r}{itself}: off by {off:.2g}, allowed {allowed:.2g} in {dtype}"

    def entry(self, at: int) -> "Total":
        """Return what is true of one entry, counted row by row."""
        error_bound = np.broadcast_to(self.error_bound, self.value.shape).reshape(-1)[at]
        value, magnitude = self.value.reshape(-1)[at], self.magnitude.reshape(-1)[at]
        return replace(
            self, value=np.array(value), magnitude=np.array(magnitude), error_bound=error_bound
        )

    def reshape(self, shape: tuple[int, ...]) -> "Total":
        """Return the same values in another shape."""
        error_bound = np.broadcast_to(self.error_bound, self.value.shape).reshape(shape)
        value, magnitude = self.value.reshape(shape), self.magnitude.reshape(shape)
        return replace(self, value=value, magnitude=magnitude, error_bound=error_bound)


class Judged(Protocol):
    """What knows how far it may be off, as jets do."""

    @property
    def total(self) -> Total:
        """What to compare with."""


Expected = npt.ArrayLike | Total | Judged
"""What a claim may give as the true value."""


def as_total(expected: Expected) -> Total:
    """Read a plain value as the sum of one term."""
    if isinstance(expected, Total):
        return expected
    if hasattr(expected, "total"):
        return expected.total
    value = np.asarray(expected, np.float64)
    size = np.abs(value)
    with np.errstate(over="ignore"):
        short = value.astype(np.float32) == value
    # What is no short number has been rounded to be one of float64.
    return Total(value, size, 1, error_bound=np.where(short, 0.0, unit_roundoff("float64") * size))


def _added(
    factors: Sequence[npt.NDArray[np.float64]], magnitude: npt.NDArray[np.float64], roundings: int
) -> npt.NDArray[np.float64] | float:
    """Bound what products of `factors`, added up in float64, are off by themselves.

    They are exact if all of them are short binary fractions, as those that are drawn.
    """
    scale = 2.0 ** (20 // len(factors))
    whole = all(np.array_equal(f * scale, np.rint(f * scale)) for f in factors)
    if whole and magnitude.max(initial=0) < 2.0**32:
        return 0.0
    return roundings * unit_roundoff("float64") * magnitude


def allowed_error(expected: Total, dtype: str) -> npt.NDArray[np.float64]:
    """Bound the error of each entry of `expected` when it is computed in `dtype`."""
    k = expected.roundings + expected.count - 1
    ku, spacing = k * unit_roundoff(dtype), FLOATS[dtype].spacing
    # From ku = 1/2 on, which only 16 bits reach, the formula means nothing; it is twice ku there.
    gamma = ku / (1 - ku) if ku < 0.5 else 2 * ku
    bound: npt.NDArray[np.float64] = gamma * expected.magnitude + k * spacing
    bound = np.where(expected.magnitude == 0, 0.0, bound) + expected.error_bound
    if expected.flushed:
        lost = LOST * FLOATS[dtype].normal
        bound += np.where(np.abs(expected.value) < lost, lost, 0.0)
    return bound


def unit_roundoff(dtype: str) -> float:
    """Half the distance from 1 to the next number of `dtype`."""
    return FLOATS[dtype].roundoff


def worst_ratio(got: npt.NDArray[Any], expected: Total, dtype: str) -> npt.NDArray[np.float64]:
    """Return measured error over allowed error, entry by entry.

    Equal values, nan and infinities included, count 0; a difference where none is allowed, inf.
    """
    value = got.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        ratio = np.abs(value - expected.value) / allowed_error(expected, dtype)
        nearest = rounded(expected.value, dtype)
    same = (value == nearest) | (np.isnan(value) & np.isnan(expected.value))
    result: npt.NDArray[np.float64] = np.where(same, 0.0, np.where(np.isnan(ratio), np.inf, ratio))
    return result
