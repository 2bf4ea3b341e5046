"""Elementwise operations.

The forward functions are clean under a complex step: they are analytic, or choose by comparison
(numpy orders complex numbers by their real parts first), so that f(x + ih) gives f'(x) to full
precision (Squire & Trapp, SIAM Review 40(1), 1998). Where a function has a kink, the derivative
there is PyTorch's convention, and the record says so.
"""

# ruff: noqa: ARG005, PLW0108  (the parameters of a rule are its declaration)

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .primitives import Primitive, primitive
from .tensor import Array, Tensor

INFINITY = float("inf")


def raw(x: Any) -> Any:
    """The array of a tensor: what a rule may compare without being differentiated through."""
    return x.array if isinstance(x, Tensor) else x


def zeros(shape: tuple[int, ...]) -> Array:
    """The gradient where a function is flat."""
    return np.zeros(shape)


# --- arithmetic ---------------------------------------------------------------------------------

add: Primitive = primitive(
    "add", operator.add, linear=True, broadcasts=True,
    x=lambda g: g,
    y=lambda g: g,
)  # fmt: skip
sub: Primitive = primitive(
    "sub", operator.sub, linear=True, broadcasts=True,
    x=lambda g: g,
    y=lambda g: -g,
)  # fmt: skip
mul: Primitive = primitive(
    "mul", operator.mul, linear=True, broadcasts=True,
    x=lambda g, y: g * y,
    y=lambda g, x: g * x,
)  # fmt: skip
div: Primitive = primitive(
    "div", operator.truediv, broadcasts=True, kinks="y = 0: a pole",
    x=lambda g, y: g / y,
    y=lambda g, x, y: -g * (x / y / y),
)  # fmt: skip
neg: Primitive = primitive("neg", np.negative, linear=True, x=lambda g: -g)


def _power_slope(g: Any, x: Any, y: Any) -> Any:
    # x**0 is constant, and so at 0 as well, where 0 * 0**-1 would be nan.
    constant = (raw(x) == 0) & (raw(y) == 0)
    exponent = where(constant, 1.0, y - 1) if np.any(constant) else y - 1
    return g * (y * x**exponent)


def _exponent_slope(g: Any, x: Any, y: Any, out: Any) -> Any:
    flat = (raw(x) == 0) & (raw(y) >= 0)
    return g * where(flat, 0.0, out * log(where(flat, 1.0, x)))


pow: Primitive = primitive(
    "pow", np.power, broadcasts=True, domain=(0.0, INFINITY),
    kinks="0**0 has slope (0, 0); a negative base has no slope in the exponent (nan)",
    x=_power_slope,
    y=_exponent_slope,
)  # fmt: skip

# --- analytic functions -------------------------------------------------------------------------


def _sigmoid(x: Array) -> Array:
    # Both branches only ever take exp of a negative number, which cannot overflow.
    positive = np.real(x) >= 0
    small = np.exp(np.where(positive, -x, x))
    result: Array = np.where(positive, 1, small) / (1 + small)
    return result


exp: Primitive = primitive("exp", np.exp, x=lambda g, out: g * out)
log: Primitive = primitive("log", np.log, domain=(0.0, INFINITY), x=lambda g, x: g / x)
sin: Primitive = primitive("sin", np.sin, x=lambda g, x: g * cos(x))
cos: Primitive = primitive("cos", np.cos, x=lambda g, x: -g * sin(x))
tanh: Primitive = primitive("tanh", np.tanh, x=lambda g, out: g * (1 - out * out))
sqrt: Primitive = primitive("sqrt", np.sqrt, domain=(0.0, INFINITY), x=lambda g, out: g / (2 * out))
sigmoid: Primitive = primitive("sigmoid", _sigmoid, x=lambda g, out: g * (out * (1 - out)))

# --- functions with kinks -----------------------------------------------------------------------


def _abs(x: Array) -> Array:
    result: Array = np.maximum(x, -x) if np.iscomplexobj(x) else np.abs(x)
    return result


def _clamp(x: Array, low: Any, high: Any) -> Array:
    result = x if low is None else np.maximum(x, low)
    return result if high is None else np.minimum(result, high)


def _kept_by_clamp(x: Any, low: Any, high: Any) -> Any:
    inside = np.ones(np.shape(raw(x)), dtype=bool)
    if low is not None:
        inside &= raw(x) >= low
    if high is not None:
        inside &= raw(x) <= high
    return inside


def _gate(x: Array, y: Array) -> Array:
    passes = ~(y <= 0)  # nan passes
    with np.errstate(invalid="ignore"):
        made: Array = x * passes
    # Multiplying is several times as fast as choosing, and wrong only for 0 * inf.
    return made if np.isfinite(made).all() else np.where(passes, x, 0)


sign: Primitive = primitive("sign", np.sign, x=lambda g, x_shape: zeros(x_shape))
gate: Primitive = primitive(
    "gate", _gate,
    x=lambda g, y: gate(g, y),
    y=lambda g, y_shape: zeros(y_shape),
)  # fmt: skip
abs: Primitive = primitive("abs", _abs, kinks="0: slope 0", x=lambda g, x: g * sign(x))
relu: Primitive = primitive(
    "relu", lambda x: np.maximum(x, 0), kinks="0: slope 0", x=lambda g, out: gate(g, out)
)
where: Primitive = primitive(
    "where", np.where, broadcasts=True,
    condition=None,
    x=lambda g, condition: where(condition, g, 0),
    y=lambda g, condition: where(condition, 0, g),
)  # fmt: skip
maximum: Primitive = primitive(
    "maximum", np.maximum, broadcasts=True, kinks="ties: half to each",
    x=lambda g, x, y: _share(g, raw(x) < raw(y), raw(x) == raw(y)),
    y=lambda g, x, y: _share(g, raw(x) > raw(y), raw(x) == raw(y)),
)  # fmt: skip
minimum: Primitive = primitive(
    "minimum", np.minimum, broadcasts=True, kinks="ties: half to each",
    x=lambda g, x, y: _share(g, raw(x) > raw(y), raw(x) == raw(y)),
    y=lambda g, x, y: _share(g, raw(x) < raw(y), raw(x) == raw(y)),
)  # fmt: skip
clamped: Primitive = primitive(
    "clamp", _clamp, kinks="at the bounds: slope 1",
    x=lambda g, x, low, high: where(_kept_by_clamp(x, low, high), g, 0),
)  # fmt: skip


def _share(g: Any, loses: Any, ties: Any) -> Any:
    g = where(loses, 0, g)
    return where(ties, g / 2, g) if np.any(ties) else g


def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """`x` limited to [min, max], either of which may be left out. Raises ValueError for neither.

    Bounds are numbers or arrays and get no gradient. The slope at a bound is 1.
    """
    if min is None and max is None:
        raise ValueError("clamp needs min, max or both")
    return clamped(x, low=raw(min), high=raw(max))


# --- dtype --------------------------------------------------------------------------------------

_cast: Primitive = primitive("to", lambda x, dtype: x.astype(dtype), linear=True, x=lambda g: g)


def to(x: Any, dtype: Any) -> Any:
    """`x` with elements of another dtype; `x` itself if it has them already."""
    return x if raw(x).dtype == np.dtype(dtype) else _cast(x, dtype=np.dtype(dtype))
