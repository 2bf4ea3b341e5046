"""Special functions: series in float64, derivatives by their recurrences.

Formulas are those of the NIST Digital Library of Mathematical Functions (dlmf.nist.gov), by number.
Each one takes real numbers, jets, complex numbers whose imaginary part is a step (it is carried on
to first order), and objects that have a method of its name.
"""

import math
import operator
from collections.abc import Callable
from functools import cache, wraps
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from .elementary import ACCURACY, Derivative, SecondDerivative, applied
from .jets import Array, Jet

Real = npt.NDArray[np.float64]

ROOT_PI = math.sqrt(math.pi)
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)
"""The Bernoulli numbers of even index, from the second on."""

SHIFT = 12
"""By how much an argument is raised before an asymptotic series is used: its error is then lost."""

TERMS = 80
"""Terms of a power series: of an argument of 20 the last one is nothing."""


def special(
    derivative: Derivative,
    second_derivative: SecondDerivative,
    size: float | Callable[[Array], Array] = 0,
    accuracy: float = ACCURACY,
) -> Callable[[Callable[[Any], Any]], Any]:
    """Make a function of real numbers a special one, with these derivatives.

    `size` is added to the size of a value when its rounding is found: that of the terms by whose
    difference libraries compute it, which may change with the argument. `accuracy` is told of those
    that NVIDIA has more than ACCURACY for: see LOOSER.
    """

    def decorate(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @wraps(function)
        def any_of(x: Any) -> Any:
            if isinstance(x, Jet):
                terms = size(x.value) if callable(size) else size
                return applied(
                    function, derivative, second_derivative, x, size=terms, accuracy=accuracy
                )
            if np.iscomplexobj(x):
                real = np.real(x)
                return function(real) + 1j * np.imag(x) * derivative(real, function(real))
            if np.asarray(x).dtype == object:
                called = operator.methodcaller(function.__name__)
                return np.vectorize(called, otypes=[object])(x)
            return function(np.asarray(x, np.float64))

        return any_of

    return decorate


def each(function: Callable[[float], float], x: Real) -> Real:
    """Apply a function of one number."""
    found: Real = np.vectorize(function, otypes=[float])(x) if x.size else x + 0.0
    return found


# ---- the gamma function --------------------------------------------------------------------------


def _raised(n: int, x: Real) -> Real:
    """The polygamma function by the Euler-Maclaurin formula (DLMF 5.15, 25.11.5)."""
    s, top = n + 1, x + SHIFT
    total = sum((x + k) ** -s for k in range(SHIFT)) + top**-n / n + top**-s / 2
    factor = 1.0
    for j, b in enumerate(BERNOULLI, start=1):
        factor = (
            factor * (s if j == 1 else (s + 2 * j - 3) * (s + 2 * j - 2)) / (2 * j * (2 * j - 1))
        )
        total = total + b * factor * top ** (1.0 - s - 2 * j)
    result: Array = (-1) ** s * math.factorial(n) * total
    return result


@cache
def polygamma(n: int) -> Callable[[Any], Any]:
    """Return the derivative of order n >= 1 of digamma, for positive arguments."""

    @special(lambda x, _y: polygamma(n + 1)(x), lambda x, _y, _d: polygamma(n + 2)(x))
    def function(x: Any) -> Any:
        return _raised(n, x)

    def named(x: Any) -> Any:
        if np.asarray(x).dtype == object and not isinstance(x, Jet):
            return np.vectorize(lambda z: z.polygamma(n), otypes=[object])(x)
        return function(x)

    return named


@special(lambda x, _y: polygamma(1)(x), lambda x, _y, _d: polygamma(2)(x), size=2.5)
def digamma(x: Any) -> Any:
    """The derivative of lgamma, for positive arguments (DLMF 5.5.2, 5.11.2)."""
    top = x + SHIFT
    series = sum(b / (2 * j * top ** (2 * j)) for j, b in enumerate(BERNOULLI, start=1))
    return np.log(top) - 1 / (2 * top) - series - sum(1 / (x + k) for k in range(SHIFT))


@special(lambda x, _y: digamma(x), lambda x, _y, _d: polygamma(1)(x), size=1, accuracy=4.5)
def lgamma(x: Any) -> Any:
    """The logarithm of the gamma function."""
    return each(math.lgamma, x)


@cache
def lower_gamma(a: float) -> Callable[[Any], Any]:
    """Return the regularized lower incomplete gamma function of order `a` (DLMF 8.7.1)."""
    scale = math.lgamma(a)

    @special(
        lambda x, _y: np.exp((a - 1) * np.log(x) - x - scale),
        lambda x, _y, d: d * ((a - 1) / x - 1),
        size=1,
    )
    def function(x: Any) -> Any:
        term = np.ones_like(x)
        total = term
        for k in range(1, TERMS):
            term = term * x / (a + k)
            total = total + term
        return total * np.exp(a * np.log(x) - x - math.lgamma(a + 1))

    def named(x: Any) -> Any:
        if np.asarray(x).dtype == object and not isinstance(x, Jet):
            return np.vectorize(lambda z: z.lower_gamma(a), otypes=[object])(x)
        return function(x)

    return named


# ---- the normal distribution ---------------------------------------------------------------------


@special(lambda x, _y: -2 / ROOT_PI * np.exp(-x * x), lambda x, _y, d: -2 * x * d, accuracy=5.5)
def erfc(x: Any) -> Any:
    """1 - erf(x), exact where that is small."""
    return each(math.erfc, x)


def _inverse_error(x: float) -> float:
    if abs(x) >= 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    y = NormalDist().inv_cdf((1 + x) / 2) / math.sqrt(2)
    for _ in range(2):  # near 0 the sum above has lost what Newton's method finds again
        y -= (math.erf(y) - x) * ROOT_PI / 2 * math.exp(y * y)
    return y


@special(lambda _x, y: ROOT_PI / 2 * np.exp(y * y), lambda _x, y, d: 2 * y * d * d, accuracy=5.5)
def erfinv(x: Any) -> Any:
    """The inverse of erf."""
    return each(_inverse_error, x)


@special(lambda _x, y: math.sqrt(2 * math.pi) * np.exp(y * y / 2), lambda _x, y, d: y * d * d)
def ndtri(p: Any) -> Any:
    """The inverse of the normal distribution function, for 0 < p < 1."""
    return each(lambda share: NormalDist().inv_cdf(share) if 0 < share < 1 else math.nan, p)


def _scaled_error(x: float) -> float:
    if x < 2:
        return math.exp(x * x) * math.erfc(x) if x > -26 else math.inf
    fraction = 0.0
    for k in range(120, 0, -1):  # DLMF 7.9.1
        fraction = k / 2 / (x + fraction)
    return 1 / (x + fraction) / ROOT_PI


@special(lambda x, y: 2 * x * y - 2 / ROOT_PI, lambda x, y, d: 2 * y + 2 * x * d)
def erfcx(x: Any) -> Any:
    """The power e ** (x * x), times erfc(x)."""
    return each(_scaled_error, x)


def _log_normal(x: float) -> float:
    if x > 0:
        return math.log1p(-math.erfc(x / math.sqrt(2)) / 2)
    return math.log(_scaled_error(-x / math.sqrt(2)) / 2) - x * x / 2


@special(
    lambda x, _y: math.sqrt(2 / math.pi) / erfcx(-x / math.sqrt(2)),
    lambda x, _y, d: -d * (x + d),
)
def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function."""
    return each(_log_normal, x)


# ---- Bessel functions ----------------------------------------------------------------------------


NEAR = 8
"""Up to here libraries compute these by one series, beyond it by another."""


def _series(power: int, *, scaled: bool) -> Callable[[Array], Array]:
    """Return the size of the terms by which libraries compute these (Cephes, i0.c and i1.c).

    Up to 8 that is a Chebyshev series whose terms reach a quarter, times a power of the argument,
    and times e ** |x| unless that is left out; the terms beyond 8 are of the size of their sum.
    """

    def size(x: Array) -> Array:
        near = np.minimum(np.abs(x), NEAR)
        terms: Array = near**power / 4 * (1 if scaled else np.exp(near))
        return np.where(np.abs(x) <= NEAR, terms, 0)

    return size


def _bessel(n: int, x: Real) -> Real:
    """I_n, times e ** -|x|: its power series (DLMF 10.25.2), or for large arguments 10.40.1."""
    size, half = np.abs(x), np.minimum(np.abs(x), 20) / 2
    term = half**n / math.factorial(n)
    total = term
    for k in range(1, TERMS):
        term = term * half * half / (k * (k + n))
        total = total + term
    far = np.maximum(size, 20)
    coefficient, tail = np.ones_like(x), np.ones_like(x)
    for k in range(1, 20):
        coefficient = -coefficient * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * far)
        tail = tail + coefficient
    found = np.where(size <= 20, total * np.exp(-2 * half), tail / np.sqrt(2 * math.pi * far))
    signed: Real = np.where(x < 0, -found, found) if n % 2 else found
    return signed


def _off_zero(x: Any) -> Any:
    """The argument of what is divided by it, or 1 where it is 0."""
    return np.where(_zero(x), 1.0, x)


def _derivative_of_i0(x: Any, _y: Any) -> Any:
    return i1(x)


def _second_derivative_of_i0(x: Any, y: Any, d: Any) -> Any:
    return np.where(_zero(x), y / 2, y - d / _off_zero(x))


@special(_derivative_of_i0, _second_derivative_of_i0, size=_series(0, scaled=False))
def i0(x: Any) -> Any:
    """The modified Bessel function of order 0."""
    return _bessel(0, x) * np.exp(np.abs(x))


def _derivative_of_i1(x: Any, y: Any) -> Any:
    whole = i0(x)
    return np.where(_zero(x), whole / 2, whole - y / _off_zero(x))


def _second_derivative_of_i1(x: Any, y: Any, d: Any) -> Any:
    return np.where(_zero(x), 0 * y, y - (d - y / _off_zero(x)) / _off_zero(x))


@special(_derivative_of_i1, _second_derivative_of_i1, size=_series(1, scaled=False))
def i1(x: Any) -> Any:
    """The modified Bessel function of order 1."""
    return _bessel(1, x) * np.exp(np.abs(x))


def _other(x: Any) -> Any:
    return i1e(x)


@special(
    lambda x, y: _other(x) - np.sign(x) * y,
    lambda x, y, d: 2 * y - (d + np.sign(x) * y) * (2 * np.sign(x) + 1 / x),
    size=_series(0, scaled=True),
)
def i0e(x: Any) -> Any:
    """The function i0, times e ** -|x|."""
    return _bessel(0, x)


@special(
    lambda x, y: i0e(x) - y * (np.sign(x) + 1 / x),
    lambda x, y, d: y - np.sign(x) * i0e(x) - d * (np.sign(x) + 1 / x) + y / (x * x),
    size=_series(1, scaled=True),
)
def i1e(x: Any) -> Any:
    """The function i1, times e ** -|x|."""
    return _bessel(1, x)


def _sinc_derivative(x: Any, y: Any) -> Any:
    derivative = (np.cos(math.pi * x) - y) / np.where(_zero(x), 1, x)
    return np.where(_zero(x), 0 * y, derivative)


def _sinc_second_derivative(x: Any, y: Any, d: Any) -> Any:
    second_derivative = -math.pi * math.pi * y - 2 * d / np.where(_zero(x), 1, x)
    return np.where(_zero(x), -math.pi * math.pi / 3 * y, second_derivative)


def _zero(x: Any) -> Array:
    zero: Array = np.asarray(x.value if isinstance(x, Jet) else x) == 0
    return zero


@special(_sinc_derivative, _sinc_second_derivative)
def sinc(x: Any) -> Any:
    """The sine of pi x, over pi x; 1 at 0."""
    return np.sinc(x)
