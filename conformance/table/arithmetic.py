"""Entry by entry: arithmetic by its options, choices, and more predicates."""

import math
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from .activations import named_of, options_of
from .arguments import Arguments, one, two
from .drawing import ANY, HALVES, NONZERO, SMALL, SMALL_POSITIVE, Array, Draw
from .elementwise import cut, toward_zero, whole_divisors
from .operation import Operation
from .parts import between, floats, magnitude, pick

EXTREME = table_of(math.nan, 1.0, math.inf, -1.0, -math.inf, 0.0, 2.0, -2.5)
"""Values some of which are infinite, or no numbers."""


def with_factor(d: Draw) -> Arguments:
    """Draw two tensors that broadcast, and what the second is multiplied by."""
    x, y = d.shapes()
    return Arguments((d.array(x), d.array(y)), (), {"alpha": d.pick(2.0, -0.5, 1.0, 0.0)})


def rounded_towards(mode: str) -> Any:
    """Divide two tensors of real numbers, and round."""
    towards: Any = {"floor": np.floor, "trunc": toward_zero}[mode]
    return lambda x, y: towards(np.real(x) / np.real(y)) + 0 * np.real(x)


def larger(x: Array, y: Array) -> Array:
    """The larger of two, of which one may be no number."""
    a, b = floats(x), floats(y)
    return pick((a >= b) | np.isnan(b), x, y)


def smaller(x: Array, y: Array) -> Array:
    """The smaller of two, of which one may be no number."""
    a, b = floats(x), floats(y)
    return pick((a <= b) | np.isnan(b), x, y)


def with_sign(x: Array, y: Array) -> Array:
    """The magnitude of x, with the sign of y."""
    size = magnitude(x)
    return pick(np.signbit(floats(y)), -size, size)


def between_tensors(x: Array, low: Array, high: Array) -> Array:
    """Move to the nearest point between bounds; where these are out of order, to the upper one."""
    above = pick(floats(x) < floats(low), low, x)
    return pick(floats(above) > floats(high), high, above)


def bounds(d: Draw) -> Arguments:
    """Draw a tensor and bounds of its shape."""
    shape = d.shape()
    return Arguments(tuple(d.array(shape) for _ in range(3)))


def replaced(
    x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Replace what is infinite or no number."""
    at = floats(x)
    x = pick(np.isnan(at), nan, x)
    x = x if posinf is None else pick(at == math.inf, posinf, x)
    return x if neginf is None else pick(at == -math.inf, neginf, x)


def in_powers_of_two(x: Array, y: Array) -> Array:
    """Log of 2 ** x + 2 ** y, to the base 2."""
    first = floats(x) >= floats(y)
    top, low = pick(first, x, y), pick(first, y, x)
    result: Array = top + np.log1p(np.exp((low - top) * math.log(2))) / math.log(2)
    return result


def plain_powers_of_two(x: Array, y: Array) -> Array:
    """The same as it is written."""
    result: Array = np.log2(np.exp(x * math.log(2)) + np.exp(y * math.log(2)))
    return result


def decimal(x: Array, decimals: int) -> Array:
    """Round to a number of decimals."""
    return np.rint(np.real(x) * 10.0**decimals) / 10.0**decimals


def weighted_number(d: Draw) -> Arguments:
    """Draw two tensors of one shape, and a weight."""
    shape = d.shape()
    return Arguments((d.array(shape), d.array(shape)), (d.pick(0.25, 0.75, 1.5, -1.0),))


def truth(name: str, forward: Any, draw: Any) -> Operation:
    """Make the record of a predicate."""
    return Operation(name, forward, draw, differentiable=False)


ARITHMETIC = (
    Operation("add_alpha", lambda x, y, alpha: x + alpha * y, with_factor, linear=True,
              broadcasts=True),
    Operation("sub_alpha", lambda x, y, alpha: x - alpha * y, with_factor, linear=True,
              broadcasts=True),
    Operation("rsub", lambda x, y, alpha: y - alpha * x, with_factor, linear=True,
              broadcasts=True),
    Operation("div_floor", rounded_towards("floor"), whole_divisors, broadcasts=True,
              kinks="multiples of y"),
    Operation("div_trunc", rounded_towards("trunc"), whole_divisors, broadcasts=True,
              kinks="multiples of y"),
    Operation("fmax", larger, two(), broadcasts=True, kinks="ties"),
    Operation("fmin", smaller, two(), broadcasts=True, kinks="ties"),
    Operation("copysign", with_sign, two(ANY, NONZERO), broadcasts=True, kinks="0",
              formulas=(lambda x, y: with_sign(np.sqrt(x * x), y),)),
    Operation("clamp_tensors", between_tensors, bounds, kinks="ties"),
    Operation("clamp_min", lambda x, low: between(x, low, None), options_of(ANY, (-0.5,), (1.0,)),
              kinks="the bound"),
    Operation("clamp_max", lambda x, high: between(x, None, high), options_of(ANY, (0.5,), (-1.0,)),
              kinks="the bound"),
    Operation("nan_to_num", replaced, named_of(
        EXTREME, {"nan": 1.5, "posinf": 2.0, "neginf": -3.0}, {"nan": -1.0, "posinf": 0.5,
        "neginf": 0.0}), kinks="what is infinite"),
    Operation("logaddexp2", in_powers_of_two, two(SMALL, SMALL), broadcasts=True,
              formulas=(plain_powers_of_two,)),
    Operation("ldexp", lambda x, y: x * np.exp(y * math.log(2)), two(ANY, SMALL), broadcasts=True),
    Operation("pow_number", np.power, options_of(
        SMALL_POSITIVE, (2.0,), (3.0,), (-1.0,), (0.5,), (0.0,), (1.0,), (-2.0,), (1.5,))),
    Operation("number_pow", lambda y, x: np.exp(y * math.log(x)),
              options_of(SMALL, (2.0,), (0.5,), (3.0,)),
              call=lambda be, y, x: be.number_pow(x, y)),
    Operation("lerp_number", lambda x, y, w: x + w * (y - x), weighted_number, linear=True),
    Operation("positive", lambda x: x, one(), linear=True, view="maybe"),
    Operation("sgn", lambda x: np.sign(np.real(x)), one(SMALL), kinks="0"),
    Operation("round_decimals", decimal, options_of(ANY, (1,), (-1,), (2,), (0,)),
              kinks="halfway between decimals", differentiable=False),
    cut("fix", np.trunc),
)  # fmt: skip
"""Functions with derivatives."""

PREDICATES = (
    truth("isfinite", np.isfinite, one(EXTREME)),
    truth("isinf", np.isinf, one(EXTREME)),
    truth("isposinf", np.isposinf, one(EXTREME)),
    truth("isneginf", np.isneginf, one(EXTREME)),
    truth("signbit", np.signbit, one(HALVES)),
    truth("isclose", np.isclose, two(HALVES, HALVES)),
    truth("logical_and", np.logical_and, two(HALVES, HALVES)),
    truth("logical_or", np.logical_or, two(HALVES, HALVES)),
    truth("logical_xor", np.logical_xor, two(HALVES, HALVES)),
    truth("logical_not", np.logical_not, one(HALVES)),
)
"""Functions without."""

MORE_ARITHMETIC = (*ARITHMETIC, *PREDICATES)
"""What goes entry by entry, beyond the most used."""
