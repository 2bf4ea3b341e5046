"""Complex numbers as points of the plane: pairs of jets.

A function of complex numbers is here what it is to calculus, a function of real and imaginary
parts: nothing is asked to be holomorphic, and no convention of a gradient enters. Formulas are
those of textbooks (Ahlfors, Complex Analysis, 3rd ed., chapters 1 and 2), with branch cuts and
zeros of either sign as in W. Kahan, Branch Cuts for Complex Elementary Functions (1987), and in
C99, annex G.

Rounding errors of complex arithmetic are bounded by the size of a number, not of each of its parts
(N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.6): the parts of what
is computed here share one error.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .jets import Jet, add

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Complex:
    """An array of complex numbers: their real and their imaginary parts, both of them jets.

    To the types of numpy these are anything, since its functions take them.
    """

    re: Any
    im: Any

    __array_ufunc__ = None
    """Arrays leave their operators to these numbers."""

    @classmethod
    def of(cls, re: Jet) -> "Complex":
        """Take real numbers as complex ones."""
        return cls(re, Jet.exact(np.zeros(re.shape), like=re))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        shape: tuple[int, ...] = self.re.shape
        return shape

    @property
    def conj(self) -> "Complex":
        """The conjugates."""
        return Complex(self.re, -self.im)

    @property
    def turned(self) -> "Complex":
        """The numbers times i."""
        return Complex(-self.im, self.re)

    @property
    def turned_back(self) -> "Complex":
        """The numbers times -i."""
        return Complex(self.im, -self.re)

    @property
    def parts(self) -> Jet:
        """Both parts, side by side along a last axis."""
        made: Any = np.stack([self.re, self.im], -1)
        parts: Jet = made
        return parts

    def each(self, function: Callable[..., Any], *options: Any, **named: Any) -> "Complex":
        """Apply a linear function of real coefficients to both parts."""
        return Complex(function(self.re, *options, **named), function(self.im, *options, **named))

    def __getitem__(self, key: Any) -> "Complex":
        return Complex(self.re[key], self.im[key])

    def __neg__(self) -> "Complex":
        return Complex(-self.re, -self.im)

    def __add__(self, other: "Complex | float") -> "Complex":
        # A real number has no imaginary part, not one of zero: the sign of another zero stays.
        if not isinstance(other, Complex):
            return Complex(self.re + other, self.im)
        return together(self.re + other.re, self.im + other.im)

    def __sub__(self, other: "Complex | float") -> "Complex":
        return self + -other

    def __rsub__(self, other: float) -> "Complex":
        return -self + other

    def __mul__(self, other: "Complex | Jet | float") -> "Complex":
        if not isinstance(other, Complex):
            return Complex(self.re * other, self.im * other)
        return product(lambda x, y: x * y, self, other)

    def __truediv__(self, other: "Complex | Jet | float") -> "Complex":
        if not isinstance(other, Complex):
            return Complex(self.re / other, self.im / other)
        return (self * other.conj) / other.square

    def __matmul__(self, other: "Complex") -> "Complex":
        return product(np.matmul, self, other)

    __radd__ = __add__
    __rmul__ = __mul__

    @property
    def square(self) -> Jet:
        """The squares of their sizes."""
        square: Jet = self.re * self.re + self.im * self.im
        return square

    @property
    def size(self) -> Jet:
        """Their absolute values."""
        return root(self.square)

    @property
    def angle(self) -> Jet:
        """Their angles, in (-pi, pi]; a zero below the negative axis gives -pi."""
        angle: Jet = np.arctan2(self.im, self.re)
        return angle


def root(x: Any) -> Jet:
    """The square root of real numbers."""
    made: Jet = np.sqrt(x)
    return made


def together(re: Jet, im: Jet) -> Complex:
    """Let both parts of what was computed be as far off as the two of them."""
    error = re.numbers[1] + im.numbers[1]
    re, im = re.copy(), im.copy()
    re.numbers[1] = im.numbers[1] = error
    return Complex(re, im)


def product(
    function: Callable[..., Any], x: Complex, y: Complex, *options: Any, **named: Any
) -> Complex:
    """Apply a function that is linear in each of two arguments, with real coefficients."""

    def of(a: Jet, b: Jet) -> Jet:
        made: Jet = function(a, b, *options, **named)
        return made

    return together(add(of(x.re, y.re), -of(x.im, y.im)), add(of(x.re, y.im), of(x.im, y.re)))


def polar(size: Any, angle: Any) -> Complex:
    """Make numbers of their size and angle."""
    return together(size * np.cos(angle), size * np.sin(angle))


# ---- elementary functions ------------------------------------------------------------------------


def exp(z: Complex) -> Complex:
    """E ** z."""
    return polar(np.exp(z.re), z.im)


def log(z: Complex) -> Complex:
    """The logarithm, cut along the negative axis."""
    half: Any = np.log(z.square)
    return together(half / 2, z.angle)


def sqrt(z: Complex) -> Complex:
    """The square root, cut along the negative axis."""
    return polar(root(z.size), z.angle / 2)


def power(z: Complex, w: Complex) -> Complex:
    """Z ** w for z other than zero."""
    return exp(w * log(z))


def sin(z: Complex) -> Complex:
    """The sine."""
    return together(
        np.sin(z.re) * np.cosh(z.im),
        np.cos(z.re) * np.sinh(z.im),
    )


def cos(z: Complex) -> Complex:
    """The cosine."""
    return together(
        np.cos(z.re) * np.cosh(z.im),
        -(np.sin(z.re) * np.sinh(z.im)),
    )


def tan(z: Complex) -> Complex:
    """The tangent."""
    return sin(z) / cos(z)


def sinh(z: Complex) -> Complex:
    """The hyperbolic sine."""
    return sin(z.turned).turned_back


def cosh(z: Complex) -> Complex:
    """The hyperbolic cosine."""
    return cos(z.turned)


def tanh(z: Complex) -> Complex:
    """The hyperbolic tangent."""
    return tan(z.turned).turned_back


def asinh(z: Complex) -> Complex:
    """The inverse hyperbolic sine, cut along the imaginary axis beyond i and -i."""
    made = sqrt(1 - z.turned) * sqrt(1 + z.turned)
    return log(z + made)


def asin(z: Complex) -> Complex:
    """The inverse sine, cut along the real axis beyond 1 and -1."""
    return asinh(z.turned).turned_back


def acos(z: Complex) -> Complex:
    """The inverse cosine, cut as the inverse sine."""
    return np.pi / 2 - asin(z)


def acosh(z: Complex) -> Complex:
    """The inverse hyperbolic cosine, cut along the real axis below 1."""
    return log(z + sqrt(z + 1) * sqrt(z - 1))


def atanh(z: Complex) -> Complex:
    """The inverse hyperbolic tangent, cut along the real axis beyond 1 and -1."""
    return (log(1 + z) - log(1 - z)) / 2


def atan(z: Complex) -> Complex:
    """The inverse tangent, cut along the imaginary axis beyond i and -i."""
    return atanh(z.turned).turned_back


# ---- many entries --------------------------------------------------------------------------------


def running(z: Complex, axis: int) -> list[Complex]:
    """The products of the first entries along an axis, of one, of two, and so on."""
    moved = z.each(np.moveaxis, axis, 0)
    made = [moved[0]] if moved.shape[0] else []
    for n in range(1, moved.shape[0]):
        made.append(made[-1] * moved[n])
    return made


def stacked(numbers: Sequence[Complex], axis: int = 0) -> Complex:
    """Put arrays together along a new axis."""
    re, im = (np.stack([getattr(z, part) for z in numbers], axis) for part in ("re", "im"))
    return Complex(re, im)


def embedded(z: Complex) -> Any:
    """Matrices of real numbers that add and multiply as these complex ones do."""
    rows: list[Any] = [
        np.concatenate([z.re, -z.im], -1),
        np.concatenate([z.im, z.re], -1),
    ]
    return np.concatenate(rows, -2)


def recovered(x: Any) -> Complex:
    """Take complex matrices back from real ones that stand for them."""
    rows, columns = x.shape[-2] // 2, x.shape[-1] // 2
    return together(x[..., :rows, :columns], x[..., rows:, :columns])


def inverse(z: Complex) -> Complex:
    """The inverses of matrices."""
    return recovered(np.linalg.inv(embedded(z)))


def solve(a: Complex, b: Complex) -> Complex:
    """The solutions of systems of equations."""
    return recovered(np.linalg.solve(embedded(a), embedded(b)))


def adjoint(z: Complex) -> Complex:
    """The conjugates of the transposes of matrices."""
    return z.conj.each(np.swapaxes, -2, -1)


def determinant(z: Complex) -> Complex:
    """The determinants of matrices, by their first rows; each minor is computed once."""
    n = z.shape[-1]

    @cache
    def minor(columns: tuple[int, ...]) -> Complex:
        row = n - len(columns)
        if row == n - 1:
            return z[..., row, columns[0]]
        terms = []
        for place, k in enumerate(columns):
            term = z[..., row, k] * minor((*columns[:place], *columns[place + 1 :]))
            terms.append(-term if place % 2 else term)
        return sum(terms[1:], start=terms[0])

    return minor(tuple(range(n)))


def cholesky(a: Complex) -> Complex:
    """The lower triangular factor of a Hermitian positive definite matrix, by columns."""
    n = a.shape[-1]
    zero = a[..., 0, 0] * 0.0
    factor = [[zero] * n for _ in range(n)]
    for j in range(n):
        rest = a[..., j, j].re
        for k in range(j):
            rest = rest - factor[j][k].square
        diagonal = root(rest)
        # Whoever computes it as a complex number may leave something in the other part.
        factor[j][j] = together(diagonal, diagonal * 0.0)
        for i in range(j + 1, n):
            entry = a[..., i, j]
            for k in range(j):
                entry = entry - factor[i][k] * factor[j][k].conj
            factor[i][j] = entry / diagonal
    return stacked([stacked(row, -1) for row in factor], -2)
