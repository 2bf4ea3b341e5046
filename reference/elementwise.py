"""Elementwise operations, and their twins that write in place.

The forward functions are clean under a complex step: they are analytic, or choose by comparison
(numpy orders complex numbers by their real parts first), so that f(x + ih) gives f'(x) to full
precision (Squire & Trapp, SIAM Review 40(1), 1998). Where a function has a kink, the derivative
there is PyTorch's convention, and a comment says which.
"""

# ruff: noqa: PLW0108  (the parameters of a rule are its declaration)

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import AutogradError
from .primitives import Primitive, add, primitive, to
from .tensor import Array, Tensor, raw
from .views import inplace

__all__ = [
    "abs", "add", "add_", "clamp", "clamp_", "copy_", "cos", "div", "div_", "exp", "exp_", "fill_",
    "log", "maximum", "minimum", "mul", "mul_", "neg", "neg_", "pow", "relu", "relu_", "sigmoid",
    "sigmoid_", "sin", "sin_", "sqrt", "sub", "sub_", "tanh", "tanh_", "to", "where", "zero_",
]  # fmt: skip

# --- arithmetic ---------------------------------------------------------------------------------

sub: Primitive = primitive(
    "sub", operator.sub, broadcasts=True,
    x=lambda g: g,
    y=lambda g: -g,
)  # fmt: skip
mul: Primitive = primitive(
    "mul", operator.mul, broadcasts=True,
    x=lambda g, y: g * y,
    y=lambda g, x: g * x,
)  # fmt: skip
div: Primitive = primitive(  # y = 0 is a pole
    "div", operator.truediv, broadcasts=True,
    x=lambda g, y: g / y,
    y=lambda g, x, y: -g * (x / y / y),
)  # fmt: skip
neg: Primitive = primitive("neg", np.negative, x=lambda g: -g)


def _pow_base(g: Any, x: Any, y: Any) -> Any:
    # x**0 is constant, and so at 0 as well, where 0 * 0**-1 would be nan.
    constant = (raw(x) == 0) & (raw(y) == 0)
    exponent = where(constant, 1.0, y - 1) if np.any(constant) else y - 1
    return g * (y * x**exponent)


def _pow_exponent(g: Any, x: Any, y: Any, out: Any) -> Any:
    flat = (raw(x) == 0) & (raw(y) >= 0)
    # The logarithm is one of the dtype of the result, which may be wider than that of x.
    return g * where(flat, 0.0, out * log(where(flat, np.ones_like(raw(out)), x)))


pow: Primitive = primitive(  # 0**0 has derivatives (0, 0); a negative base none in the exponent
    "pow", np.power, broadcasts=True, x=_pow_base, y=_pow_exponent
)

# --- analytic functions -------------------------------------------------------------------------


def _sigmoid(x: Array) -> Any:
    # Both branches only ever take exp of a negative number, which cannot overflow.
    positive = np.real(x) >= 0
    small = np.exp(np.where(positive, -x, x))
    return np.where(positive, 1, small) / (1 + small)


exp: Primitive = primitive("exp", np.exp, x=lambda g, out: g * out)
log: Primitive = primitive("log", np.log, x=lambda g, x: g / x)
sin: Primitive = primitive("sin", np.sin, x=lambda g, x: g * cos(x))
cos: Primitive = primitive("cos", np.cos, x=lambda g, x: -g * sin(x))
tanh: Primitive = primitive("tanh", np.tanh, x=lambda g, out: g * (1 - out * out))
sqrt: Primitive = primitive("sqrt", np.sqrt, x=lambda g, out: g / (2 * out))
sigmoid: Primitive = primitive("sigmoid", _sigmoid, x=lambda g, out: g * (out * (1 - out)))

# --- functions with kinks -----------------------------------------------------------------------


def _abs(x: Array) -> Any:
    return np.maximum(x, -x) if np.iscomplexobj(x) else np.abs(x)


def _gate(x: Array, y: Array) -> Array:
    passes = ~(y <= 0)  # nan passes
    with np.errstate(invalid="ignore"):
        made: Array = x * passes
    # Multiplying is several times as fast as choosing, and wrong only for 0 * inf.
    return made if np.isfinite(made).all() else np.where(passes, x, 0)


# It keeps its argument, though its rule asks for nothing of it: PyTorch does so in abs.
sign: Primitive = primitive("sign", np.sign, x=lambda g, x: np.zeros(x.shape, g.dtype))
gate: Primitive = primitive(
    "gate", _gate,
    x=lambda g, y: gate(g, y),
    y=lambda g, y_shape: np.zeros(y_shape, g.dtype),
)  # fmt: skip
abs: Primitive = primitive("abs", _abs, x=lambda g, x: g * sign(x))  # 0 at 0
relu: Primitive = primitive(  # 0 at 0
    "relu", lambda x: np.maximum(x, 0), x=lambda g, out: gate(g, out)
)
where: Primitive = primitive(
    "where", np.where, broadcasts=True,
    condition=None,
    x=lambda g, condition: where(condition, g, 0),
    y=lambda g, condition: where(condition, 0, g),
)  # fmt: skip


def _share(g: Any, loses: Any, ties: Any) -> Any:
    g = where(loses, 0, g)
    return where(ties, g / 2, g) if np.any(ties) else g


maximum: Primitive = primitive(  # of equal arguments each has half
    "maximum", np.maximum, broadcasts=True,
    x=lambda g, x, y: _share(g, raw(x) < raw(y), raw(x) == raw(y)),
    y=lambda g, x, y: _share(g, raw(x) > raw(y), raw(x) == raw(y)),
)  # fmt: skip
minimum: Primitive = primitive(  # of equal arguments each has half
    "minimum", np.minimum, broadcasts=True,
    x=lambda g, x, y: _share(g, raw(x) > raw(y), raw(x) == raw(y)),
    y=lambda g, x, y: _share(g, raw(x) < raw(y), raw(x) == raw(y)),
)  # fmt: skip


def _clamp(x: Array, low: Any, high: Any) -> Array:
    result = x if low is None else np.maximum(x, low)
    return result if high is None else np.minimum(result, high)


def _clamp_rule(g: Any, x: Any, low: Any, high: Any) -> Any:
    inside = np.ones(np.shape(raw(x)), dtype=bool)
    if low is not None:
        inside &= raw(x) >= low
    if high is not None:
        inside &= raw(x) <= high
    return where(inside, g, 0)


_clamped: Primitive = primitive("clamp", _clamp, x=_clamp_rule)  # 1 at the bounds


def _bounds(min: Any, max: Any) -> dict[str, Any]:
    if min is None and max is None:
        raise AutogradError("argument", "clamp needs min, max or both")
    return {"low": raw(min), "high": raw(max)}


def clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    """`x` limited to [min, max], either of which may be left out.

    Bounds are numbers or arrays and get no gradient. The derivative at a bound is 1.
    """
    return _clamped(x, **_bounds(min, max))


# --- in place -----------------------------------------------------------------------------------


def _in_place(operation: Primitive) -> Callable[..., Tensor]:
    """The twin of an operation that replaces the value of its first argument."""

    def twin(self: Tensor, *others: Any) -> Tensor:
        return inplace(operation, self, *others)

    twin.__name__ = f"{operation.name}_"
    twin.__doc__ = f"`self` becomes {operation.name}(self, ...)."
    return twin


add_, sub_, mul_, div_ = map(_in_place, (add, sub, mul, div))
neg_, exp_, sin_, tanh_, relu_, sigmoid_ = map(_in_place, (neg, exp, sin, tanh, relu, sigmoid))


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """`self` becomes clamp(self, min, max)."""
    return inplace(_clamped, self, **_bounds(min, max))


def _onto(x: Array, y: Any) -> Array:
    try:
        return np.broadcast_to(y, x.shape)
    except ValueError:
        raise AutogradError("inplace_shape", f"copy of {np.shape(y)} into {x.shape}") from None


_copied: Primitive = primitive(
    "copy", _onto, broadcasts=True,
    x=lambda g, x_shape: np.zeros(x_shape, g.dtype),
    y=lambda g: g,
)  # fmt: skip


def copy_(self: Tensor, source: Any) -> Tensor:
    """The elements of `source`, broadcast and cast. Its gradient goes to `source` alone."""
    return inplace(_copied, self, source, cast=True)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Every element becomes `value`, a number or a scalar tensor (which gets the gradient)."""
    if isinstance(value, Tensor) and value.ndim:
        raise AutogradError("shape", "fill_ takes a number or a scalar tensor")
    return copy_(self, value)


def zero_(self: Tensor) -> Tensor:
    """`self` becomes 0 everywhere."""
    return fill_(self, 0)
