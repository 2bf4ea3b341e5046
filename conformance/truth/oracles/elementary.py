"""The elementary functions of jets: for each one its first and second derivative, in one table.

Functions of numpy are within two units in the last place of the true value on every platform that
we know of: ACCURACY units of the unit roundoff. A library may be ROOM times as far off, and may
round the argument before it computes (mixed stability; Higham, section 1.5). Derivatives are
written as libraries compute them, often by the result: what 1 - tanh^2 loses where tanh is almost 1
is then found, not told.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .jets import (
    HUGE,
    ROOM,
    UFUNCS,
    WIDEST,
    Array,
    Jet,
    Operand,
    add,
    call,
    differentials,
    divide,
    lifted,
    multiply,
    rounded_off,
)

ACCURACY = 4
"""How far an elementary function may be off, in units of the unit roundoff."""

LOOSER: dict[Any, float] = {np.tan: 4.5, np.arccosh: 4.5, np.power: 4.5}
"""Those of which NVIDIA tells four units in the last place or more, which is ROOM times as far.

They are counted from the true value rounded, which is half a unit off: CUDA C++ Programming Guide,
appendix Mathematical Functions (docs.nvidia.com/cuda/cuda-c-programming-guide).
"""

Derivative = Callable[[Any, Any], Any]
"""The derivative by argument and result, whether these are arrays or jets."""

SecondDerivative = Callable[[Any, Any, Any], Any]
"""The second derivative by argument, result and first derivative."""

LN2, LN10 = math.log(2), math.log(10)


def _asinh_derivative(x: Any, _: Any) -> Any:
    """The reciprocal of the root of x * x + 1, which is that of |x| where the square overflows."""
    return np.where(np.absolute(x) > HUGE, 1 / np.absolute(x), 1 / np.sqrt(x * x + 1))


RULES: dict[Any, tuple[Derivative, SecondDerivative]] = {
    np.exp: (lambda _x, y: y, lambda _x, y, _d: y),
    np.expm1: (lambda x, _y: np.exp(x), lambda _x, _y, d: d),
    np.log: (lambda x, _y: 1 / x, lambda _x, _y, d: -d * d),
    np.log2: (lambda x, _y: 1 / (x * LN2), lambda x, _y, d: -d / x),
    np.log10: (lambda x, _y: 1 / (x * LN10), lambda x, _y, d: -d / x),
    np.log1p: (lambda x, _y: 1 / (1 + x), lambda _x, _y, d: -d * d),
    np.sqrt: (lambda _x, y: 0.5 / y, lambda x, _y, d: -d / (2 * x)),
    np.square: (lambda x, _y: 2 * x, lambda x, _y, _d: 2 + 0 * x),
    np.reciprocal: (lambda _x, y: -y * y, lambda _x, y, d: -2 * y * d),
    np.sin: (lambda x, _y: np.cos(x), lambda _x, y, _d: -y),
    np.cos: (lambda x, _y: -np.sin(x), lambda _x, y, _d: -y),
    np.tan: (lambda _x, y: 1 + y * y, lambda _x, y, d: 2 * y * d),
    np.arcsin: (lambda x, _y: 1 / np.sqrt(1 - x * x), lambda x, _y, d: x * d * d * d),
    np.arccos: (lambda x, _y: -1 / np.sqrt(1 - x * x), lambda x, _y, d: x * d * d * d),
    np.arctan: (lambda x, _y: 1 / (1 + x * x), lambda x, _y, d: -2 * x * d * d),
    np.sinh: (lambda x, _y: np.cosh(x), lambda _x, y, _d: y),
    np.cosh: (lambda x, _y: np.sinh(x), lambda _x, y, _d: y),
    np.tanh: (lambda _x, y: 1 - y * y, lambda _x, y, d: -2 * y * d),
    np.arcsinh: (_asinh_derivative, lambda x, _y, d: -x * d * d * d),
    np.arccosh: (
        lambda x, _y: np.where(x > HUGE, 1 / x, 1 / np.sqrt(x * x - 1)),
        lambda x, _y, d: -x * d * d * d,
    ),
    np.arctanh: (lambda x, _y: 1 / (1 - x * x), lambda x, _y, d: 2 * x * d * d),
}
"""Derivative and second derivative of every elementary function of one argument."""

BASIC = {np.sqrt, np.reciprocal, np.square}
"""Those that IEEE 754 asks to round once, which is not everywhere done."""


def applied(
    function: Callable[[Any], Array],
    derivative: Derivative,
    second_derivative: SecondDerivative,
    x: Jet,
    *,
    basic: bool = False,
    size: float | Array = 0,
    accuracy: float = ACCURACY,
) -> Jet:
    """Apply an elementary function; a `basic` one is granted two roundings and not `accuracy`.

    `size` is that of terms whose difference it is, and is rounded as well.
    """
    at, off = x.value, x.error
    y = function(at)
    steepness = np.abs(derivative(at, y))
    base = Jet(np.empty((2, 1, 1, *x.shape)))
    base.numbers[0, 0, 0] = y
    rounding = 2 * np.abs(y)
    if not basic:
        rounding = accuracy * np.abs(y) + ACCURACY * size + steepness * np.abs(at) / ROOM
    base.numbers[1, 0, 0] = steepness * off + rounding
    sides, columns = x.numbers.shape[1:3]
    if sides == columns == 1:
        return base
    point = Jet(x.numbers[:, :1, :1])
    first = derivative(point, base)
    second = second_derivative(point, base, first) if sides == 2 else None
    return _composed(x, base, first, second)


def _composed(x: Jet, y: Jet, derivative: Jet, second_derivative: Jet | None) -> Jet:
    """Return `y`, which has no derivatives yet, with those that its own by `x` make."""
    f, f_off = derivative.numbers[:, 0, 0]
    v, e = x.numbers
    p, size = np.abs(v), np.abs(f)
    made = np.empty_like(x.numbers)
    made[0] = f * v
    made[1] = size * (e + p) + f_off * (p + WIDEST * e)
    if second_derivative is not None:
        g, g_off = second_derivative.numbers[:, 0, 0]
        (a, along), (a_off, along_off) = ((each[0, 1:], each[1, :1]) for each in (v, e))
        q, r = np.abs(a), np.abs(along)
        product, growth = a * along, np.abs(g)
        made[0, 1, 1:] += g * product
        made[1, 1, 1:] += growth * (a_off * r + q * along_off) + g_off * q * r
        made[1, 1, 1:] += 2 * growth * np.abs(product) + np.abs(made[0, 1, 1:])
    made[:, 0, 0] = y.numbers[:, 0, 0]
    return Jet(made)


def elementary(
    derivative: Derivative, second_derivative: SecondDerivative
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Make a function of numbers an elementary one of jets as well, with these derivatives."""

    def decorate(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @wraps(function)
        def either(x: Any) -> Any:
            return (
                applied(function, derivative, second_derivative, x)
                if isinstance(x, Jet)
                else function(x)
            )

        return either

    return decorate


@elementary(lambda _x, y: y * (1 - y), lambda _x, y, d: d * (1 - 2 * y))
def sigmoid(x: Array) -> Array:
    """1 / (1 + e ** -x)."""
    result: Array = 1 / (1 + np.exp(-x))
    return result


@elementary(lambda x, _y: 2 / math.sqrt(math.pi) * np.exp(-x * x), lambda x, _y, d: -2 * x * d)
def erf(x: Array) -> Array:
    """The error function, carried on to first order beside the real numbers (DLMF 7.2.1)."""
    real = np.real(x)
    value: Array = np.vectorize(math.erf, otypes=[float])(real)
    if np.iscomplexobj(x):
        value = value + 1j * np.imag(x) * 2 / math.sqrt(math.pi) * np.exp(-real * real)
    return value


def _unary(
    function: Any, derivative: Derivative, second_derivative: SecondDerivative
) -> Callable[[Jet], Jet]:
    basic, accuracy = function in BASIC, LOOSER.get(function, ACCURACY)
    return lambda x: applied(
        function, derivative, second_derivative, x, basic=basic, accuracy=accuracy
    )


def _root(x: Jet) -> Jet:
    """The root: of what is zero but for rounding, that is for what a square left behind, as well.

    The error of a square of about zero is WIDEST times the square of an error: see `multiply`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        made = applied(np.sqrt, *RULES[np.sqrt], x, basic=True)
        far = np.sqrt(x.error / WIDEST)
        error = made.numbers[1, 0, 0, ...]
        made.numbers[1, 0, 0] = np.where(x.value == 0, far, error)
    return made


def power(x: Operand, y: Operand) -> Jet:
    """Raise to a power: a constant one, or any of a positive number."""
    if not isinstance(y, Jet):
        n = np.asarray(y, np.float64)
        assert isinstance(x, Jet)
        if np.all(n == 0.5):
            return _root(x)
        if np.all(n == 2):
            return multiply(x, x)
        wide = x + np.zeros(n.shape) if n.ndim else x
        made = applied(
            lambda at: np.power(at, n),
            lambda at, _y: _term(n, at, n - 1),
            lambda at, _y, _d: _term(n * (n - 1), at, n - 2),
            wide,
            accuracy=LOOSER[np.power],
        )
        made.numbers[1, 0, 0] += _of_exponent(n, wide.value) * np.abs(made.value)
        return made
    return of_two(np.power, _power_derivatives, _power_second_derivatives, x, y)


def _power_derivatives(x: Any, y: Any, p: Any) -> tuple[Any, Any]:
    return y * _exponential(x, y - 1), p * np.log(x)


def _power_second_derivatives(x: Any, y: Any, p: Any, _d: Any) -> tuple[Any, Any, Any]:
    log = np.log(x)
    by_both = _exponential(x, y - 1) * (1 + y * log)
    return y * (y - 1) * _exponential(x, y - 2), by_both, p * log * log


def _exponential(x: Any, y: Any) -> Any:
    """A power of jets without derivatives."""
    if not isinstance(x, Jet):
        return np.power(x, y)
    return of_two(np.power, _power_derivatives, _power_second_derivatives, x, y)


def _angle_derivatives(y: Any, x: Any, _: Any) -> tuple[Any, Any]:
    square = x * x + y * y
    larger = np.maximum(np.absolute(x), np.absolute(y))
    # Divided by the larger of both, neither is lost when it is squared.
    beyond = (larger > HUGE) | (larger < 1 / HUGE)
    b, a = y / larger, x / larger
    near = a * a + b * b
    return (
        np.where(beyond, a / near / larger, x / square),
        np.where(beyond, -b / near / larger, -y / square),
    )


def _angle_second_derivatives(
    _y: Any, _x: Any, _: Any, derivatives: tuple[Any, Any]
) -> tuple[Any, Any, Any]:
    by_y, by_x = derivatives
    return 2 * by_y * by_x, by_x * by_x - by_y * by_y, -2 * by_y * by_x


def of_two(
    function: Callable[[Any, Any], Any],
    derivatives: Callable[[Any, Any, Any], tuple[Any, Any]],
    second_derivatives: Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]],
    x: Operand,
    y: Operand,
) -> Jet:
    """Apply an elementary function of two arguments."""
    like = x if isinstance(x, Jet) else y
    assert isinstance(like, Jet)
    x, y = lifted(x, like), lifted(y, like)
    value = function(x.value, y.value)
    by_x, by_y = map(np.abs, derivatives(x.value, y.value, value))
    base = Jet.exact(value)
    base.numbers[1, 0, 0] = (
        by_x * (x.error + np.abs(x.value) / ROOM)
        + by_y * (y.error + np.abs(y.value) / ROOM)
        + LOOSER.get(function, ACCURACY) * np.abs(value)
    )
    sides, columns = x.numbers.shape[1:3]
    if sides == columns == 1:
        return base
    a, b = (Jet(each.numbers[:, :1, :1]) for each in (x, y))
    first = derivatives(a, b, base)
    dx, dy = differentials(x), differentials(y)
    made: Jet = first[0] * dx + first[1] * dy
    if sides == 2:
        by_xx, by_xy, by_yy = second_derivatives(a, b, base, first)
        made = made + (by_xx * dx * dx + by_yy * dy * dy) / 2 + by_xy * dx * dy
    made.numbers[:, 0, 0] = base.numbers[:, 0, 0]
    return made


def _of_exponent(n: Array, x: Array) -> Array:
    """How far a power is off whose exponent is no short number: it is rounded to begin with."""
    off = rounded_off(n)
    return np.where(off == 0, 0.0, off * np.abs(np.log(np.where(x > 0, x, 1.0))))


def _term(factor: Array, x: Any, n: Array) -> Any:
    """A constant times a power, which is nothing where the constant is 0."""
    n = np.where(factor == 0, 0, n)
    if not isinstance(x, Jet):
        return factor * np.power(x, n)
    size = factor * np.power(x.value, n)
    steepness = np.abs(factor * n * np.power(x.value, np.where(n == 0, 0, n - 1)))
    off = steepness * (x.error + np.abs(x.value)) + (1 + LOOSER[np.power]) * np.abs(size)
    off += _of_exponent(n, x.value) * np.abs(size)
    return Jet(np.stack([size, off])[:, None, None])


def _chosen(smaller: Any) -> Callable[[Operand, Operand], Jet]:
    def choose(x: Operand, y: Operand) -> Jet:
        like = x if isinstance(x, Jet) else y
        assert isinstance(like, Jet)
        x, y = lifted(x, like), lifted(y, like)
        made = call(np.where, smaller(x.value, y.value), x, y)
        # Which of two is the larger one may be wrong, but not by more than either is off.
        made.numbers[1, 0, 0] = np.maximum(x.error, y.error)
        return made

    return choose


def _of_values(function: Any) -> Callable[..., Array]:
    """What is constant between its jumps: a function of the values."""
    return lambda *args: function(*(x.value if isinstance(x, Jet) else x for x in args))


def _absolute(x: Jet) -> Jet:
    made = x.numbers.copy()
    made[0] = np.where(x.value < 0, -made[0], made[0])
    return Jet(made)


UFUNCS.update({function: _unary(function, *rule) for function, rule in RULES.items()})
UFUNCS.update(
    {
        np.add: add,
        np.subtract: lambda x, y: add(x, -y if isinstance(y, Jet) else np.negative(y)),
        np.multiply: multiply,
        np.divide: divide,
        np.negative: lambda x: -x,
        np.positive: lambda x: x,
        np.sqrt: _root,
        np.power: power,
        np.arctan2: lambda y, x: of_two(
            np.arctan2, _angle_derivatives, _angle_second_derivatives, y, x
        ),
        np.absolute: _absolute,
        np.maximum: _chosen(np.greater_equal),
        np.minimum: _chosen(np.less_equal),
    }
)
CONSTANT = (
    *(np.floor, np.ceil, np.trunc, np.rint, np.sign, np.heaviside, np.floor_divide, np.isnan),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
)
UFUNCS.update({function: _of_values(function) for function in CONSTANT})
