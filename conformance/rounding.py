"""How far rounding carries a long computation: numbers that know their own error.

This is running error analysis (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
section 3.3): beside each value goes a bound on its error in units of the unit roundoff, to first
order. Every operation passes on the errors of its operands and adds the rounding of its result. So
a formula written in plain arithmetic, run on `Rounded` numbers, yields the true values and how far
from them a right implementation may be after many steps.
"""

from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .tolerance import ROUNDINGS, Total, unit_roundoff

Array = npt.NDArray[np.float64]
ROOM = 4
"""Roundings granted to one operation: a library may need more of them, in another order."""

WIDEST = ROOM * unit_roundoff("float32")
"""What one unit of error is worth, at the most."""

Operand = Union["Rounded", npt.ArrayLike]


@dataclass(frozen=True, eq=False)
class Rounded:
    """Values in float64, and for each a bound on its error, in units of the unit roundoff.

    It takes + - * / @ with another of its kind, or with what is exact, and the power 0.5. The
    terms of a sum may be added in any order.
    """

    value: Array
    error: Array

    # So that array * rounded asks us, not numpy.
    __array_ufunc__ = None

    @classmethod
    def exact(cls, value: npt.ArrayLike) -> "Rounded":
        """Take a value that is in every dtype what it is here."""
        array = np.asarray(value, np.float64)
        return cls(array, np.zeros(array.shape))

    @property
    def total(self) -> Total:
        """What to compare with: a single term of a size whose roundings are what is allowed."""
        return Total(self.value, ROOM / ROUNDINGS * self.error, 1)

    def around(self, value: npt.ArrayLike) -> Total:
        """What to compare with if the true values are known in another way."""
        return Total(np.asarray(value, np.float64), self.total.magnitude, 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.value.shape

    @property
    def T(self) -> "Rounded":  # noqa: N802
        """The transpose."""
        return Rounded(self.value.T, self.error.T)

    def sum(self, axis: int | None = None) -> "Rounded":
        """Add the entries up, or those along an axis."""
        value, size = self.value.sum(axis), np.abs(self.value).sum(axis)
        terms = self.value.size // max(1, value.size)
        return Rounded(value, self.error.sum(axis) + max(0, terms - 1) * size)

    def tanh(self) -> "Rounded":
        """Return the hyperbolic tangent, of slope 1 - tanh^2, which libraries miss by some ulp."""
        value = np.tanh(self.value)
        return Rounded(value, (1 - value**2) * self.error + 4 * np.abs(value))

    def __add__(self, other: Operand) -> "Rounded":
        x, y = self, _read(other)
        return _rounded(x.value + y.value, x.error + y.error)

    def __sub__(self, other: Operand) -> "Rounded":
        x, y = self, _read(other)
        return _rounded(x.value - y.value, x.error + y.error)

    def __mul__(self, other: Operand) -> "Rounded":
        x, y = self, _read(other)
        passed_on = np.abs(x.value) * y.error + x.error * np.abs(y.value)
        # The square of what is zero but for rounding is of second order, and all there is.
        return _rounded(x.value * y.value, passed_on + WIDEST * x.error * y.error)

    def __truediv__(self, other: Operand) -> "Rounded":
        x, y = self, _read(other)
        value = x.value / y.value
        return _rounded(value, (x.error + np.abs(value) * y.error) / np.abs(y.value))

    def __matmul__(self, other: Operand) -> "Rounded":
        return _product(self, _read(other))

    def __rmatmul__(self, other: Operand) -> "Rounded":
        return _product(_read(other), self)

    def __rsub__(self, other: Operand) -> "Rounded":
        return _read(other) - self

    def __pow__(self, exponent: float) -> "Rounded":
        if exponent != 0.5:
            raise ValueError(f"a Rounded number takes the power 0.5, not {exponent}")
        root = np.sqrt(self.value)
        # The root of an exact 0 is exact.
        passed_on = np.divide(self.error, 2 * root, out=np.zeros_like(root), where=root > 0)
        return _rounded(root, passed_on)

    __radd__ = __add__
    __rmul__ = __mul__


def _read(x: Operand) -> Rounded:
    return x if isinstance(x, Rounded) else Rounded.exact(x)


def _product(x: Rounded, y: Rounded) -> Rounded:
    a, b = np.abs(x.value), np.abs(y.value)
    terms = x.value.shape[-1]
    return Rounded(x.value @ y.value, a @ y.error + x.error @ b + terms * (a @ b))


def _rounded(value: Any, passed_on: Any) -> Rounded:
    return Rounded(value, passed_on + np.abs(value))
