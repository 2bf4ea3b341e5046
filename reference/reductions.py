"""Reductions, cumulative sums, and the softmax family.

`dim` is a number, a sequence or None for all dimensions; `keepdim` leaves size 1 in their place.
"""

# ruff: noqa: FBT001, FBT002, PLW0108  (rules declare by their parameters; signatures are PyTorch's)

from __future__ import annotations

from typing import Any

import numpy as np

from .elementwise import exp, raw, where
from .errors import DtypeMismatch, ShapeMismatch
from .joining import cat, flip
from .primitives import Primitive, primitive
from .shaping import dimension, dimensions, movedim, rearrange, spread, unsqueeze
from .tensor import Array

Shape = tuple[int, ...]


def _kept(shape: Shape, dim: Shape) -> Shape:
    return tuple(1 if axis in dim else size for axis, size in enumerate(shape))


def _across(g: Any, shape: Shape, dim: Shape) -> Any:
    """A reduced value back over the elements it came from."""
    return spread(rearrange(g, _kept(shape, dim)), shape)


def _ties(g: Any, x: Any, out: Any, dim: Shape) -> Any:
    shape = raw(x).shape
    winners = raw(x) == raw(_across(out, shape, dim))
    return where(winners, _across(g, shape, dim), 0.0) / winners.sum(axis=dim, keepdims=True)


# --- sums ---------------------------------------------------------------------------------------


def _mean_of(x: Array, dim: Shape, keepdim: bool) -> Array:
    with np.errstate(invalid="ignore"):  # 0 / 0 over no elements
        result: Array = x.sum(axis=dim, keepdims=keepdim) / _count(x.shape, dim)
    return result


_sum: Primitive = primitive(
    "sum", lambda x, dim, keepdim: x.sum(axis=dim, keepdims=keepdim), linear=True,
    x=lambda g, x_shape, dim: _across(g, x_shape, dim),
)  # fmt: skip
_mean: Primitive = primitive(
    "mean", _mean_of, linear=True,
    x=lambda g, x_shape, dim: _across(g / _count(x_shape, dim), x_shape, dim),
)  # fmt: skip
_cumsum: Primitive = primitive(
    "cumsum", lambda x, dim: np.cumsum(x, axis=dim), linear=True,
    x=lambda g, dim: flip(cumsum(flip(g, dim), dim), dim),
)  # fmt: skip


def _count(shape: Shape, dim: Shape) -> int:
    count = 1
    for axis in dim:
        count *= shape[axis]
    return count


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
    if size % 2:
        pairs = _cat_last([pairs, x[..., size - 1 :]])
    outer = _others(pairs)
    inner = outer[..., : size // 2]
    woven = _weave(inner * odd, inner * even)
    return _cat_last([woven, outer[..., size // 2 :]]) if size % 2 else woven


def _cat_last(parts: list[Any]) -> Any:
    return cat(parts, -1)


def _weave(even: Any, odd: Any) -> Any:
    shape = even.shape
    pairs = cat([unsqueeze(even, -1), unsqueeze(odd, -1)], -1)
    return rearrange(pairs, (*shape[:-1], 2 * shape[-1]))


def _prod_slope(g: Any, x: Any, dim: Shape) -> Any:
    if raw(x).size == 0:
        return raw(x)
    back = tuple(range(-len(dim), 0))
    moved = movedim(x, dim, back)
    others = _others(rearrange(moved, (*moved.shape[: x.ndim - len(dim)], -1)))
    return _across(g, x.shape, dim) * movedim(rearrange(others, moved.shape), back, dim)


_prod: Primitive = primitive(
    "prod", lambda x, dim, keepdim: x.prod(axis=dim, keepdims=keepdim), x=_prod_slope
)
_amax: Primitive = primitive(
    "amax", lambda x, dim, keepdim: x.max(axis=dim, keepdims=keepdim),
    kinks="ties: equal shares", x=_ties,
)  # fmt: skip
_amin: Primitive = primitive(
    "amin", lambda x, dim, keepdim: x.min(axis=dim, keepdims=keepdim),
    kinks="ties: equal shares", x=_ties,
)  # fmt: skip

# --- the softmax family: shifted by the maximum, so that exp cannot overflow ----------------------


def _shifted(x: Array, dim: Any) -> tuple[Array, Array]:
    top = np.real(x).max(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    return x - top, top


def _logsumexp_of(x: Array, dim: Shape, keepdim: bool) -> Array:
    shifted, top = _shifted(x, dim)
    with np.errstate(divide="ignore"):
        result: Array = np.log(np.exp(shifted).sum(axis=dim, keepdims=True)) + top
    return result if keepdim else result.squeeze(dim)


def _softmax_of(x: Array, dim: int) -> Array:
    e = np.exp(_shifted(x, dim)[0])
    result: Array = e / e.sum(axis=dim, keepdims=True)
    return result


def _log_softmax_of(x: Array, dim: int) -> Array:
    shifted = _shifted(x, dim)[0]
    result: Array = shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))
    return result


_logsumexp: Primitive = primitive(
    "logsumexp", _logsumexp_of,
    x=lambda g, x, out, dim: _across(g, x.shape, dim) * exp(x - _across(out, x.shape, dim)),
)  # fmt: skip
_softmax: Primitive = primitive(
    "softmax", _softmax_of, x=lambda g, out, dim: out * (g - sum(g * out, dim, True))
)
_log_softmax: Primitive = primitive(
    "log_softmax", _log_softmax_of, x=lambda g, out, dim: g - exp(out) * sum(g, dim, True)
)


def sum(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The sum over `dim`."""
    return _sum(x, dim=dimensions(dim, x.ndim) if x.ndim else (), keepdim=keepdim)


def mean(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The arithmetic mean over `dim`; nan over no elements. Raises DtypeMismatch for integers."""
    if raw(x).dtype.kind not in "fc":
        raise DtypeMismatch(f"mean: elements of {raw(x).dtype} have none of their own dtype")
    return _mean(x, dim=dimensions(dim, x.ndim) if x.ndim else (), keepdim=keepdim)


def prod(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The product over `dim`; its gradient is right also where elements are 0."""
    return _scalar_aware(_prod, x, dim, keepdim)


def amax(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The maximum over `dim`. Equal maxima share the gradient."""
    return _scalar_aware(_amax, x, dim, keepdim)


def amin(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The minimum over `dim`. Equal minima share the gradient."""
    return _scalar_aware(_amin, x, dim, keepdim)


def logsumexp(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """log(sum(exp(x))) over `dim`, without overflow."""
    return _scalar_aware(_logsumexp, x, dim, keepdim)


def _scalar_aware(reduction: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    if x.ndim == 0:
        # A number is the vector of itself; the rules then need not know.
        dimensions(dim, 0)
        return rearrange(reduction(rearrange(x, (1,)), dim=(0,), keepdim=False), ())
    return reduction(x, dim=dimensions(dim, x.ndim), keepdim=keepdim)


def cumsum(x: Any, dim: int) -> Any:
    """Running sums along `dim`."""
    if x.ndim == 0:
        dimension(dim, 0)
        return rearrange(_cumsum(rearrange(x, (1,)), dim=0), ())
    return _cumsum(x, dim=dimension(dim, x.ndim))


def softmax(x: Any, dim: int) -> Any:
    """exp(x) normalised to sum 1 along `dim`."""
    return _along(_softmax, x, dim)


def log_softmax(x: Any, dim: int) -> Any:
    """log(softmax(x, dim)), computed without leaving the logarithm."""
    return _along(_log_softmax, x, dim)


def _along(function: Any, x: Any, dim: int) -> Any:
    if x.ndim == 0:
        dimension(dim, 0)
        return rearrange(function(rearrange(x, (1,)), dim=0), ())
    if raw(x).shape[dimension(dim, x.ndim)] == 0:
        raise ShapeMismatch("softmax over an empty dimension")
    return function(x, dim=dimension(dim, x.ndim))
