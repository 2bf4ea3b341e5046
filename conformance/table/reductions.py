"""Along axes: reductions, running values, and order."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..truth.oracles.jets import constant
from .arguments import FILLED, FILLED_VECTORS, VECTORS, Arguments, along, one, reduced
from .drawing import HALVES, NONZERO, SMALL, UNIT, Array, Draw, Shape
from .operation import Operation

Reduction = Callable[..., Array]

SPREAD: tuple[Shape, ...] = ((4,), (3,), (4, 3), (3, 1, 4), (3, 4), (4, 1), (1, 3, 3))
"""Shapes with enough entries along some axis to vary."""


def over(function: Reduction) -> Reduction:
    """Give a reduction of numpy PyTorch's arguments; a number counts as a vector of one."""

    def reduce(x: Array, dim: Any = None, keepdim: bool = False) -> Array:  # noqa: FBT001, FBT002
        if x.ndim == 0:
            return function(np.atleast_1d(x), axis=0)
        axis = tuple(dim) if isinstance(dim, tuple) else dim
        return function(x, axis=axis, keepdims=keepdim)

    return reduce


def running(function: Reduction) -> Reduction:
    """Let a running value of numpy take a number as a vector of one."""
    return lambda x, dim: function(np.atleast_1d(x), axis=dim).reshape(x.shape)


def largest(x: Array, axis: Any = None, keepdims: bool = False) -> Array:  # noqa: FBT001, FBT002
    """The largest entry: numpy compares complex numbers by their real parts first."""
    result: Array = np.max(x, axis=axis, keepdims=keepdims)
    return result


def smallest(x: Array, axis: Any = None, keepdims: bool = False) -> Array:  # noqa: FBT001, FBT002
    """The smallest entry."""
    result: Array = np.min(x, axis=axis, keepdims=keepdims)
    return result


def below_the_top(x: Array, axis: Any) -> tuple[Array, Array]:
    """Split off the largest entries along an axis, as constants: no power of e is too large.

    Where all are -inf, nothing is.
    """
    top = np.max(constant(x), axis=axis, keepdims=True)
    top = np.where(top == -np.inf, 0.0, top)
    return top, x - top


def log_of_sum(x: Array, axis: Any) -> Array:
    """Log of the sum of e ** x."""
    top, rest = below_the_top(x, axis)
    result: Array = np.squeeze(top, axis) + np.log(np.exp(rest).sum(axis))
    return result


def logs_of_sums(x: Array, axis: int) -> Array:
    """Log of the sum of e ** x up to each entry."""
    parts = [log_of_sum(np.take(x, range(n), axis=axis), axis) for n in range(1, x.shape[axis] + 1)]
    return np.stack(parts, axis) if parts else x


def shares(x: Array, axis: int) -> Array:
    """E ** x over its sum."""
    powers = np.exp(below_the_top(x, axis)[1])
    result: Array = powers / powers.sum(axis, keepdims=True)
    return result


def log_shares(x: Array, axis: int) -> Array:
    """The logarithm of e ** x over its sum."""
    _, rest = below_the_top(x, axis)
    result: Array = rest - np.log(np.exp(rest).sum(axis, keepdims=True))
    return result


def variance(x: Array, dim: int | None = None, correction: int = 1) -> Array:
    """The mean square of deviations, over one entry less."""
    off = x - x.mean(axis=dim, keepdims=True)
    count = x.size if dim is None else x.shape[dim]
    result: Array = (off * off).sum(axis=dim) / (count - correction)
    return result


def length(x: Array) -> Array:
    """The root of the sum of squares."""
    result: Array = np.sqrt((x * x).sum())
    return result


def median(x: Array, axis: int) -> Array:
    """The entry in the middle, the lower of two."""
    ordered = np.sort(x, axis=axis)
    result: Array = np.take(ordered, (x.shape[axis] - 1) // 2, axis=axis)
    return result


def with_axis(function: Reduction) -> Reduction:
    """Give a reduction along one axis PyTorch's arguments."""
    return lambda x, dim: function(np.atleast_1d(x), dim)


def varied(d: Draw) -> Arguments:
    """Draw a tensor and an axis along which it has three entries or more."""
    shape = d.shape(*SPREAD)
    axes = [axis for axis, size in enumerate(shape) if size > 2]
    options = d.pick((d.pick(*axes),), ())
    named = {"correction": d.pick(1, 0)} if options else {}
    return Arguments((d.array(shape),), options, named)


def ranked(d: Draw) -> Arguments:
    """Draw a tensor, how many entries to take, and an axis; in some draws the smallest."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (1 + d.byte() % shape[axis], axis, d.pick(True, False)))


def top(x: Array, k: int, dim: int, large: bool) -> Array:  # noqa: FBT001
    """The k largest or smallest entries, best first."""
    ordered = np.sort(x, axis=dim)
    ordered = np.flip(ordered, dim) if large else ordered
    return np.take(ordered, range(k), axis=dim)


def sorted_along(x: Array, dim: int, descending: bool) -> Array:  # noqa: FBT001
    """The entries in order."""
    if x.ndim == 0:
        return x
    ordered = np.sort(x, axis=dim)
    return np.flip(ordered, dim) if descending else ordered


def in_order(d: Draw) -> Arguments:
    """Draw a tensor, an axis and a direction."""
    shape = d.shape(*VECTORS)
    return Arguments((d.array(shape),), (d.axis(shape), d.pick(False, True)))


def different(d: Draw) -> Arguments:
    """Draw a tensor of distinct entries and an axis."""
    shape = d.shape(*FILLED_VECTORS)
    return Arguments((d.distinct(shape),), (d.axis(shape),))


def traces(d: Draw) -> Arguments:
    """Draw a matrix."""
    return Arguments((d.array(d.shape((2, 2), (2, 3), (3, 2), (1, 4), (0, 3), (4, 2), (2, 4))),))


REDUCTIONS = (
    Operation("sum", over(np.sum), reduced(), linear=True),
    Operation("mean", over(np.mean), reduced(shapes=FILLED), linear=True),
    Operation("prod", over(np.prod), along(SMALL)),
    Operation("amax", over(largest), reduced(shapes=FILLED), kinks="equal entries", ties=True),
    Operation("amin", over(smallest), reduced(shapes=FILLED), kinks="equal entries", ties=True),
    Operation(
        "max", with_axis(largest), along(shapes=FILLED_VECTORS), kinks="equal entries", ties=True,
        call=lambda be, x, dim: be.max(x, dim)[0],
    ),
    Operation(
        "min", with_axis(smallest), along(shapes=FILLED_VECTORS), kinks="equal entries", ties=True,
        call=lambda be, x, dim: be.min(x, dim)[0],
    ),
    Operation(
        "median", with_axis(median), along(shapes=FILLED_VECTORS), kinks="equal entries", ties=True,
        call=lambda be, x, dim: be.median(x, dim)[0],
    ),
    Operation("logsumexp", with_axis(log_of_sum), along(SMALL, FILLED_VECTORS)),
    Operation("var", variance, varied),
    Operation("std", lambda x, *dim, **o: np.sqrt(variance(x, *dim, **o)), varied,
              kinks="equal entries", ties=True),
    Operation("norm", length, one(NONZERO), kinks="the zero vector"),
    Operation("trace", np.trace, traces, linear=True),
    Operation("count_nonzero", np.count_nonzero, one(HALVES), differentiable=False),
    Operation("all", np.all, one(HALVES), differentiable=False),
    Operation("any", np.any, one(HALVES), differentiable=False),
    Operation("argmax", with_axis(np.argmax), different, differentiable=False),
    Operation("argmin", with_axis(np.argmin), different, differentiable=False),
)  # fmt: skip

RUNNING = (
    Operation("cumsum", running(np.cumsum), along(), linear=True),
    Operation("cumprod", running(np.cumprod), along(SMALL)),
    Operation(
        "logcumsumexp", running(logs_of_sums), along(UNIT),
        formulas=(running(lambda x, axis: np.log(np.cumsum(np.exp(x), axis=axis))),),
    ),
    Operation(
        "softmax", running(shares), along(UNIT, FILLED_VECTORS),
    ),
    Operation(
        "log_softmax", running(log_shares),
        along(UNIT, FILLED_VECTORS),
    ),
)  # fmt: skip

ORDERED = (
    Operation(
        "sort", sorted_along, in_order, kinks="equal entries", ties=True,
        call=lambda be, x, *rest: be.sort(x, *rest)[0],
    ),
    Operation(
        "topk", top, ranked, kinks="equal entries", ties=True,
        call=lambda be, x, *rest: be.topk(x, *rest)[0],
    ),
    Operation(
        "argsort", lambda x, dim: sorted_along(x, dim, descending=False), along(),
        call=lambda be, x, dim: be.gather(x, dim, be.argsort(x, dim)), differentiable=False,
    ),
)  # fmt: skip

REDUCING = (*REDUCTIONS, *RUNNING, *ORDERED)
