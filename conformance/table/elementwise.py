"""Entry by entry."""

import math

import numpy as np

from ..truth.oracles.elementary import erf, sigmoid
from .arguments import Arguments, alike, one, two
from .drawing import (
    ABOVE_ONE,
    ANY,
    HALVES,
    NONZERO,
    POSITIVE,
    SMALL,
    SMALL_POSITIVE,
    SMALL_WHOLE,
    UNIT,
    Array,
    Draw,
)
from .operation import Operation


def toward_zero(x: Array) -> Array:
    """Truncate the real part."""
    result: Array = np.trunc(np.real(x))
    return result


def angle(y: Array, x: Array) -> Array:
    """The angle of the point (x, y): complex ones by the quotient, turned by half a circle."""
    if not np.iscomplexobj(x):
        return np.arctan2(y, x)
    turned = np.where(np.real(y) >= 0, math.pi, -math.pi)
    result: Array = np.arctan(y / x) + np.where(np.real(x) < 0, turned, 0)
    return result


def ramp(x: Array) -> Array:
    """Log of 1 + e ** x, which is x far above zero."""
    above = np.real(x) > 0
    result: Array = np.where(above, x, 0) + np.log1p(np.exp(np.where(above, -x, x)))
    return result


def hypot_by_larger(x: Array, y: Array) -> Array:
    """The root of the sum of two squares, neither of which overflows."""
    first = np.abs(np.real(x)) >= np.abs(np.real(y))
    larger, smaller = np.where(first, x, y), np.where(first, y, x)
    larger = np.where(np.real(larger) < 0, -larger, larger)
    ratio = smaller / np.where(larger == 0, 1, larger)
    result: Array = larger + smaller * ratio / (1 + np.sqrt(1 + ratio * ratio))
    return result


def hypot_by_ratio(x: Array, y: Array) -> Array:
    """The root of the sum of two squares, as libraries compute it that let none overflow."""
    x, y = np.abs(x), np.abs(y)
    larger = np.maximum(x, y)
    ratio = np.minimum(x, y) / larger
    return larger * np.sqrt(1 + ratio * ratio)


def log_of_two(x: Array, y: Array) -> Array:
    """Log of e ** x + e ** y, by what the larger one exceeds the smaller one by."""
    first = np.real(x) >= np.real(y)
    top, low = np.where(first, x, y), np.where(first, y, x)
    result: Array = top + np.log1p(np.exp(low - top))
    return result


def bounded(d: Draw) -> Arguments:
    """Draw a tensor and bounds, one of which may be missing."""
    x = d.array(d.shape())
    return Arguments((x,), d.pick((-1.0, 1.0), (None, 0.5), (-0.5, None), (1.0, 1.0),
                                   (0.5, -0.5)))  # fmt: skip


def clamped(x: Array, low: float | None, high: float | None) -> Array:
    """Move to the nearest point between the bounds."""
    result = x if low is None else np.maximum(x, low)
    return result if high is None else np.minimum(result, high)


def whole_divisors(d: Draw) -> Arguments:
    """Draw a dividend, and whole numbers that it is no multiple of where it lies apart."""
    x, y = d.shapes()
    return Arguments((d.array(x), d.array(y, SMALL_WHOLE, fixed=True)))


def chosen(d: Draw) -> Arguments:
    """Draw two tensors and a condition that broadcast, each of which may be the widest."""
    x, y = d.shapes()
    full = np.broadcast_shapes(x, y)
    condition = d.pick(full, y, x, (), (2, *(full or (1,))))
    return Arguments((d.array(x), d.array(y)), (d.mask(condition),))


def weighted(d: Draw) -> Arguments:
    """Draw three tensors of one shape and a factor."""
    shape = d.shape()
    tensors = tuple(d.array(shape, values) for values in (ANY, ANY, NONZERO))
    return Arguments(tensors, (), {"value": d.pick(1.0, 0.5, -2.0)})


def cut(name: str, forward: object, text: str = "whole numbers") -> Operation:
    """Make the record of a function that is constant between whole numbers."""
    return Operation(name, lambda x: forward(np.real(x)), one(SMALL), kinks=text)  # type: ignore[operator]


def compared(name: str, forward: object) -> Operation:
    """Make the record of a comparison."""
    return Operation(name, forward, two(HALVES, HALVES), differentiable=False)  # type: ignore[arg-type]


CURVES = (
    Operation("exp", np.exp, one()),
    Operation("exp2", lambda x: np.exp(x * math.log(2)), one()),
    Operation("expm1", np.expm1, one(HALVES)),
    Operation("log", np.log, one(POSITIVE)),
    Operation("log2", np.log2, one(POSITIVE)),
    Operation("log10", np.log10, one(POSITIVE)),
    Operation("log1p", np.log1p, one(UNIT)),
    Operation("sqrt", np.sqrt, one(POSITIVE)),
    Operation("rsqrt", lambda x: 1 / np.sqrt(x), one(POSITIVE)),
    Operation("square", lambda x: x * x, one()),
    Operation("reciprocal", lambda x: 1 / x, one(NONZERO)),
    Operation("sin", np.sin, one()),
    Operation("cos", np.cos, one()),
    Operation("tan", np.tan, one(UNIT)),
    Operation("asin", np.arcsin, one(UNIT)),
    Operation("acos", np.arccos, one(UNIT)),
    Operation("atan", np.arctan, one()),
    Operation("sinh", np.sinh, one(SMALL)),
    Operation("cosh", np.cosh, one(SMALL)),
    Operation("tanh", np.tanh, one(SMALL)),
    Operation("asinh", np.arcsinh, one(SMALL)),
    Operation("acosh", np.arccosh, one(ABOVE_ONE)),
    Operation("atanh", np.arctanh, one(UNIT)),
    Operation("erf", erf, one(SMALL)),
    Operation("sigmoid", sigmoid, one(SMALL)),
    Operation("logsigmoid", lambda x: -ramp(-x), one(SMALL),
              formulas=(lambda x: np.log(sigmoid(x)),)),
    Operation("softplus", ramp, one(SMALL), formulas=(lambda x: -np.log(sigmoid(-x)),)),
    Operation("silu", lambda x: x * sigmoid(x), one(HALVES)),
    Operation(
        "gelu", lambda x: x * (1 + erf(x / math.sqrt(2))) / 2, one(HALVES),
    ),
)  # fmt: skip
"""Analytic functions."""

CORNERED = (
    Operation("abs", lambda x: np.where(np.real(x) < 0, -x, x), one(), kinks="0",
              formulas=(lambda x: np.sqrt(x * x),)),
    Operation("relu", lambda x: np.where(np.real(x) > 0, x, 0), one(), kinks="0"),
    Operation("relu6", lambda x: clamped(x, 0, 6), one(), kinks="0 and 6"),
    Operation(
        "leaky_relu", lambda x, slope: np.where(np.real(x) > 0, x, slope * x),
        one(ANY, (), 0.125), kinks="0",
    ),
    Operation(
        "elu", lambda x: np.where(np.real(x) > 0, x, np.expm1(np.minimum(x, 0))), one(SMALL),
        kinks="0",
    ),
    Operation("clamp", clamped, bounded, kinks="the bounds"),
    Operation("hardtanh", clamped, one(ANY, (), -1.0, 1.0), kinks="the bounds"),
    Operation("frac", lambda x: x - toward_zero(x), one(SMALL), kinks="whole numbers"),
    cut("floor", np.floor),
    cut("ceil", np.ceil),
    cut("trunc", np.trunc),
    cut("round", np.round, "halfway between whole numbers"),
    cut("sign", np.sign, "0"),
)  # fmt: skip
"""Functions with kinks or jumps."""

BINARY = (
    Operation("add", lambda x, y: x + y, two(), linear=True, broadcasts=True),
    Operation("sub", lambda x, y: x - y, two(), linear=True, broadcasts=True),
    Operation("mul", lambda x, y: x * y, two(), broadcasts=True),
    Operation("div", lambda x, y: x / y, two(ANY, NONZERO), broadcasts=True),
    Operation("pow", np.power, two(SMALL_POSITIVE, SMALL), broadcasts=True),
    Operation("maximum", np.maximum, two(), broadcasts=True, kinks="ties"),
    Operation("minimum", np.minimum, two(), broadcasts=True, kinks="ties"),
    Operation("atan2", angle, two(NONZERO, NONZERO), broadcasts=True),
    Operation("hypot", hypot_by_larger, two(NONZERO), broadcasts=True,
              formulas=(lambda x, y: np.sqrt(x * x + y * y), hypot_by_ratio)),
    Operation("logaddexp", log_of_two, two(SMALL, SMALL), broadcasts=True,
              formulas=(lambda x, y: np.log(np.exp(x) + np.exp(y)),)),
    Operation("xlogy", lambda x, y: x * np.log(y), two(NONZERO, POSITIVE), broadcasts=True),
    Operation(
        "fmod", lambda x, y: x - toward_zero(np.real(x) / np.real(y)) * y, whole_divisors,
        broadcasts=True, kinks="multiples of y",
    ),
    Operation(
        "remainder", lambda x, y: x - np.floor(np.real(x) / np.real(y)) * y, whole_divisors,
        broadcasts=True, kinks="multiples of y",
    ),
    Operation("where", lambda x, y, c: np.where(c, x, y), chosen, linear=True,
              call=lambda be, x, y, c: be.where(c, x, y)),
    Operation("lerp", lambda x, y, w: x + w * (y - x), alike(ANY, ANY, UNIT)),
    Operation("addcmul", lambda x, y, z, value: x + value * y * z, weighted),
    Operation("addcdiv", lambda x, y, z, value: x + value * y / z, weighted),
)  # fmt: skip
"""Functions of several tensors."""

VALUES = (
    compared("eq", np.equal),
    compared("ne", np.not_equal),
    compared("lt", np.less),
    compared("le", np.less_equal),
    compared("gt", np.greater),
    compared("ge", np.greater_equal),
    Operation("isnan", np.isnan, one(), differentiable=False),
    Operation("heaviside", np.heaviside, two(HALVES, HALVES), differentiable=False),
    Operation("floor_divide", np.floor_divide, two(ANY, NONZERO), differentiable=False),
)
"""Functions without derivatives."""

ELEMENTWISE = (
    Operation("neg", lambda x: -x, one(), linear=True),
    Operation("deg2rad", lambda x: x * (math.pi / 180), one(), linear=True),
    Operation("rad2deg", lambda x: x * (180 / math.pi), one(), linear=True),
    *CURVES,
    *CORNERED,
    *BINARY,
    *VALUES,
)
