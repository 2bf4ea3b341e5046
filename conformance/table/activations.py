"""What stands between the layers of a network: entry by entry, or along an axis."""

import math
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from ..truth.oracles.elementary import sigmoid
from .arguments import FILLED_VECTORS, Arguments, along, one
from .drawing import ANY, HALVES, SMALL, UNIT, Array
from .operation import Operation
from .parts import between, floats, magnitude, pick, softened
from .reductions import running, shares

SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
"""Klambauer, Unterthiner, Mayr & Hochreiter, Self-Normalizing Neural Networks (2017), eq. 14."""


KNEES = table_of(0.0, -3.0, 3.0, -2.5, 2.5, -4.0, 4.0, 1.0, *np.arange(-16, 17) / 4)
"""Values about -3 and 3."""


def elu(x: Array, alpha: float, scale: float = 1, stretch: float = 1) -> Array:
    """Scale times x above 0, and times a power of e below it that tends to -alpha."""
    above = floats(x) > 0
    low = pick(above, 0, x)
    return pick(above, scale * x, scale * alpha * np.expm1(low / stretch))


def hardswish(x: Array) -> Array:
    """X times a line that is cut off at 0 and 1: 0 below -3, x above 3."""
    at = floats(x)
    return pick(at <= -3, 0, pick(at >= 3, x, x * (x + 3) / 6))


def hardsigmoid(x: Array) -> Array:
    """A line from 0 at -3 to 1 at 3, cut off beyond."""
    at = floats(x)
    return pick(at <= -3, 0, pick(at >= 3, 1, (x + 3) / 6))


def softshrink(x: Array, width: float) -> Array:
    """Move towards 0 by a width, and stay there."""
    at = floats(x)
    return pick(at > width, x - width, pick(at < -width, x + width, 0))


def hardshrink(x: Array, width: float) -> Array:
    """Set to 0 what is no further away than a width."""
    return pick(np.abs(floats(x)) <= width, 0, x)


def threshold(x: Array, bound: float, value: float) -> Array:
    """Replace what is not above a bound."""
    return pick(floats(x) > bound, x, value)


def straightened(x: Array, beta: float, bound: float) -> Array:
    """The soft maximum of 0 and x, sharper by beta, which is x itself beyond a bound."""
    above = floats(x) * beta > bound
    return pick(above, x, softened(beta * pick(above, 0, x)) / beta)


def by_sigmoid(x: Array, beta: float, bound: float) -> Array:
    """The same by a sigmoid s near 1: libraries find the second derivative as s (1 - s)."""
    inside = (floats(x) > 0) & (floats(x) * beta <= bound)
    z = beta * pick(inside, x, 0)
    return pick(inside, (z - np.log(sigmoid(z))) / beta, straightened(x, beta, bound))


def gelu_tanh(x: Array) -> Array:
    """Hendrycks & Gimpel, Gaussian Error Linear Units (2016), section 2: by a hyperbolic tangent.

    1 + tanh(z) is 2 sigmoid(2 z), which does not cancel; libraries compute the former.
    """
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    result: Array = x * sigmoid(2 * inner)
    return result


def gelu_by_tanh(x: Array) -> Array:
    """The same as it is written."""
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    result: Array = x * (1 + np.tanh(inner)) / 2
    return result


def log_odds(p: Array) -> Array:
    """The logarithm of p / (1 - p)."""
    result: Array = np.log(p) - np.log1p(-p)
    return result


def dropped(x: Array, p: float, training: bool) -> Array:  # noqa: FBT001
    """Leave everything, or everything out: what does not hang on chance."""
    return 0 * x if training and p == 1 else 1 * x


def options_of(values: Array, *pool: tuple[Any, ...]) -> Any:
    """Draw a tensor, and one of several groups of options."""
    return lambda d: Arguments((d.array(d.shape(), values),), d.pick(*pool))


def named_of(values: Array, *pool: dict[str, Any]) -> Any:
    """Draw a tensor, and one of several groups of options by their names."""
    return lambda d: Arguments((d.array(d.shape(), values),), (), d.pick(*pool))


ACTIVATIONS = (
    Operation("selu", lambda x: elu(x, SELU_ALPHA, SELU_SCALE), one(SMALL), kinks="0"),
    Operation("celu", lambda x, alpha: elu(x, alpha, 1, alpha),
              options_of(SMALL, (1.0,), (2.0,), (0.5,)), kinks="0"),
    Operation("elu_alpha", elu, options_of(SMALL, (2.0,), (0.5,), (1.0,)), kinks="0"),
    Operation("mish", lambda x: x * np.tanh(softened(x)), one(SMALL)),
    Operation("hardswish", hardswish, one(KNEES), kinks="-3 and 3"),
    Operation("hardsigmoid", hardsigmoid, one(KNEES), kinks="-3 and 3"),
    Operation("softsign", lambda x: x / (1 + magnitude(x)), one(), kinks="0"),
    Operation("softshrink", softshrink, options_of(ANY, (0.5,), (1.0,), (0.0,)),
              kinks="the width"),
    Operation("hardshrink", hardshrink, options_of(ANY, (0.5,), (1.0,), (0.0,)),
              kinks="the width"),
    Operation("threshold", threshold, options_of(ANY, (0.0, 1.5), (1.0, -2.0), (-1.0, 0.0)),
              kinks="the bound"),
    Operation("tanhshrink", lambda x: x - np.tanh(x), one(SMALL)),
    Operation("softmin", running(lambda x, axis: shares(-x, axis)), along(UNIT, FILLED_VECTORS)),
    Operation("softplus_beta", straightened,
              options_of(ANY, (2.0, 20.0), (0.5, 1.0), (2.0, 4.0), (1.0, 20.0)),
              formulas=(by_sigmoid,), kinks="the threshold"),
    Operation("gelu_tanh", gelu_tanh, one(HALVES), formulas=(gelu_by_tanh,)),
    Operation("rrelu", lambda x, low, high: pick(floats(x) > 0, x, (low + high) / 2 * x),
              options_of(ANY, (0.125, 0.375), (0.25, 0.25)), kinks="0"),
    Operation("logit", log_odds, one((UNIT + 1) / 2), formulas=(lambda p: np.log(p / (1 - p)),)),
    Operation("logit_clamped", lambda p, eps: log_odds(between(p, eps, 1 - eps)),
              options_of(UNIT, (0.25,), (0.125,)), kinks="the bounds",
              formulas=(lambda p, eps: np.log(between(p, eps, 1 - eps)
                                              / (1 - between(p, eps, 1 - eps))),)),
    Operation("dropout", dropped, options_of(ANY, (0.5, False), (0.0, True), (1.0, True)),
              linear=True, view="maybe"),
)  # fmt: skip
"""What follows a layer."""
