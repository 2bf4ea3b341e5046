"""Reductions, cumulative sums, and the softmax family.

A scalar has one dimension to name and none to reduce: it is its own sum, product and maximum.
"""

# ruff: noqa: FBT001, FBT002, PLW0108  (rules declare by their parameters; signatures are PyTorch's)

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .elementwise import exp, where
from .errors import AutogradError
from .primitives import Primitive, primitive, spread
from .shaping import cat, dimension, dimensions, flip, movedim, rearrange, unsqueeze
from .tensor import Array, Shape, raw

__all__ = [
    "amax", "amin", "cumsum", "log_softmax", "logsumexp", "mean", "prod", "softmax", "sum",
]  # fmt: skip


def _reduction(
    summary: str, name: str, forward: Callable[..., Any], rule: Callable[..., Any]
) -> Callable[..., Any]:
    """Define a primitive over some dimensions, and the function that users call."""
    made = primitive(name, forward, x=rule)

    def reduction(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        chosen = dimensions(dim, x.ndim)
        return made(x, dim=chosen if x.ndim else (), keepdim=keepdim)

    reduction.__name__ = name
    reduction.__doc__ = (
        f"{summary}\n\n`dim` is a number, a sequence or None for all dimensions; `keepdim` leaves "
        "size 1 in their place."
    )
    return reduction


def _across(g: Any, shape: Shape, dim: Shape) -> Any:
    """A reduced value back over the elements it came from."""
    kept = tuple(1 if axis in dim else size for axis, size in enumerate(shape))
    return spread(rearrange(g, kept), shape)


# --- sums ---------------------------------------------------------------------------------------


def _count(shape: Shape, dim: Shape) -> int:
    return math.prod(shape[axis] for axis in dim)


def _mean(x: Array, dim: Shape, keepdim: bool) -> Any:
    if x.dtype.kind not in "fc":
        raise AutogradError("dtype", f"mean: {x.dtype} has no means of its own dtype")
    with np.errstate(invalid="ignore"):  # 0 / 0 over no elements
        return x.sum(axis=dim, keepdims=keepdim) / _count(x.shape, dim)


sum = _reduction(
    "The sum over `dim`.",
    "sum", lambda x, dim, keepdim: x.sum(axis=dim, keepdims=keepdim),
    lambda g, x_shape, dim: _across(g, x_shape, dim),
)  # fmt: skip
mean = _reduction(
    "The arithmetic mean over `dim`; nan over no elements. Raises dtype for integers.",
    "mean", _mean,
    lambda g, x_shape, dim: _across(g / _count(x_shape, dim), x_shape, dim),
)  # fmt: skip

# --- products and extrema -----------------------------------------------------------------------


def _others(x: Any) -> Any:
    """For each element along the last dimension, the product of all the others.

    Without division, so that zeros need no special case: pair up, solve for the pairs, and
    multiply the answer of a pair with its other member.
    """
    size = x.shape[-1]
    if size == 1:
        return x * 0.0 + 1.0 if np.all(np.isfinite(raw(x))) else raw(x) ** 0
    even, odd = x[..., 0 : size - 1 : 2], x[..., 1::2]
    pairs = even * odd
    outer = _others(cat([pairs, x[..., size - 1 :]], -1) if size % 2 else pairs)
    inner = outer[..., : size // 2]
    both = cat([unsqueeze(inner * odd, -1), unsqueeze(inner * even, -1)], -1)
    woven = rearrange(both, (*even.shape[:-1], 2 * even.shape[-1]))
    return cat([woven, outer[..., size // 2 :]], -1) if size % 2 else woven


def _prod_rule(g: Any, x: Any, dim: Shape) -> Any:
    if raw(x).size == 0:
        return raw(x)
    if _count(raw(x).shape, dim) == 1:
        return _across(g, raw(x).shape, dim)
    back = tuple(range(-len(dim), 0))
    moved = movedim(x, dim, back)
    others = _others(rearrange(moved, (*moved.shape[: x.ndim - len(dim)], -1)))
    return _across(g, x.shape, dim) * movedim(rearrange(others, moved.shape), back, dim)


def _ties(g: Any, x: Any, out: Any, dim: Shape) -> Any:
    shape = raw(x).shape
    winners = raw(x) == raw(_across(out, shape, dim))
    return where(winners, _across(g, shape, dim), 0.0) / winners.sum(axis=dim, keepdims=True)


prod = _reduction(
    "The product over `dim`; its gradient is right also where elements are 0.",
    "prod", lambda x, dim, keepdim: x.prod(axis=dim, keepdims=keepdim), _prod_rule,
)  # fmt: skip
amax = _reduction(
    "The maximum over `dim`. Equal maxima share the gradient.",
    "amax", lambda x, dim, keepdim: x.max(axis=dim, keepdims=keepdim), _ties,
)  # fmt: skip
amin = _reduction(
    "The minimum over `dim`. Equal minima share the gradient.",
    "amin", lambda x, dim, keepdim: x.min(axis=dim, keepdims=keepdim), _ties,
)  # fmt: skip

# --- the softmax family: shifted by the maximum, so that exp cannot overflow ----------------------


def _shifted(x: Array, dim: Any) -> tuple[Array, Array]:
    top = np.real(x).max(axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    return x - top, top


def _logsumexp(x: Array, dim: Shape, keepdim: bool) -> Any:
    shifted, top = _shifted(x, dim)
    with np.errstate(divide="ignore"):
        result = np.log(np.exp(shifted).sum(axis=dim, keepdims=True)) + top
    return result if keepdim else result.squeeze(dim)


def _softmax_of(x: Array, dim: int) -> Any:
    e = np.exp(_shifted(x, dim)[0])
    return e / e.sum(axis=dim, keepdims=True)


def _log_softmax_of(x: Array, dim: int) -> Any:
    shifted, _ = _shifted(x, dim)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


logsumexp = _reduction(
    "log(sum(exp(x))) over `dim`, without overflow.",
    "logsumexp", _logsumexp,
    # Not exp(x - out): beside a large one the logarithm of a count is lost, and shares are all 1.
    lambda g, x, dim: _across(g, x.shape, dim) * _softmax(x, dim=dim),
)  # fmt: skip
_softmax: Primitive = primitive(
    "softmax", _softmax_of, x=lambda g, out, dim: out * (g - sum(g * out, dim, True))
)
_log_softmax: Primitive = primitive(
    "log_softmax", _log_softmax_of, x=lambda g, out, dim: g - exp(out) * sum(g, dim, True)
)
_cumsum: Primitive = primitive(
    "cumsum", lambda x, dim: np.cumsum(x, axis=dim),
    x=lambda g, dim: flip(cumsum(flip(g, dim), dim), dim),
)  # fmt: skip


def _along(function: Primitive, x: Any, dim: int) -> Any:
    """A function along one dimension; a scalar is the vector of itself."""
    dim = dimension(dim, x.ndim)
    if x.ndim == 0:
        return rearrange(function(rearrange(x, (1,)), dim=0), ())
    return function(x, dim=dim)


def softmax(x: Any, dim: int) -> Any:
    """exp(x) normalised to sum 1 along `dim`."""
    return _along(_softmax, x, dim)


def log_softmax(x: Any, dim: int) -> Any:
    """log(softmax(x, dim)), computed without leaving the logarithm."""
    return _along(_log_softmax, x, dim)


def cumsum(x: Any, dim: int) -> Any:
    """Running sums along `dim`."""
    return _along(_cumsum, x, dim)
