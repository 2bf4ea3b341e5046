"""More reductions: along several axes, without what is no number, by rank, and of neighbours."""

import math
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from .arguments import FILLED, FILLED_VECTORS, VECTORS, Arguments, along, one
from .drawing import HALVES, SMALL, Array, Draw
from .operation import Operation
from .parts import floats, pick
from .reductions import (
    below_the_top,
    in_order,
    largest,
    over,
    smallest,
    sorted_along,
)

GAPS = table_of(1.0, math.nan, -1.0, 2.0, 0.5, -2.0, 1.5, -0.5)
"""Values of which some are no numbers."""


def numbers_only(x: Array) -> Array:
    """Put 0 in the place of what is no number."""
    return pick(np.isnan(floats(x)), 0, x)


def nansum(x: Array, axis: Any = None, keepdims: bool = False) -> Array:  # noqa: FBT001, FBT002
    """The sum of what is a number."""
    result: Array = numbers_only(x).sum(axis, keepdims=keepdims)
    return result


def nanmean(x: Array, axis: Any = None, keepdims: bool = False) -> Array:  # noqa: FBT001, FBT002
    """The mean of what is a number."""
    count = (~np.isnan(floats(x))).sum(axis, keepdims=keepdims)
    result: Array = nansum(x, axis, keepdims) / count
    return result


def several(values: Array, *, numbers: bool = False) -> Any:
    """Draw a tensor, one or more of its axes, and whether to keep them."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape((3,), (2, 3), (2, 3, 2), (1, 4), (3, 1), (1, 2, 2))
        axes = d.axes(shape)
        x = d.array(shape, values)
        if numbers:
            # Something is left to take the mean of, whichever slice is looked at.
            named = {a % x.ndim for a in axes}
            x[tuple(0 if a in named else slice(None) for a in range(x.ndim))] = 1.0
        return Arguments((x,), (axes, d.pick(False, True)))

    return draw


def spread_over(x: Array, dim: Any, correction: int, keepdim: bool) -> Array:  # noqa: FBT001
    """The mean square of deviations along axes."""
    off = x - x.mean(dim, keepdims=True)
    count = math.prod(x.shape[a] for a in (dim if isinstance(dim, tuple) else (dim,)))
    result: Array = (off * off).sum(dim, keepdims=keepdim) / (count - correction)
    return result


def varied(d: Draw) -> Arguments:
    """Draw a tensor, axes along which it has three entries or more, and the correction."""
    shape = d.shape((2, 3), (2, 2, 3), (3, 4), (4, 3), (1, 3, 3))
    axes = d.pick((0, 1), (-1,), (-1, 0) if len(shape) == 2 else (1, 2))
    named = {"correction": d.pick(1, 0, 2), "keepdim": d.pick(False, True)}
    return Arguments((d.array(shape),), (axes,), named)


def middle(x: Array, q: Any, dim: int, keepdim: bool, interpolation: str) -> Array:  # noqa: FBT001
    """The entry below which a share of all entries lies."""
    ordered = np.sort(x, axis=dim)
    at = np.asarray(q) * (x.shape[dim] - 1)
    low, high = np.floor(at).astype(int), np.ceil(at).astype(int)
    if interpolation in ("lower", "higher", "nearest"):
        chosen = {"lower": low, "higher": high, "nearest": np.rint(at).astype(int)}[interpolation]
        made = np.take(ordered, chosen, axis=dim)
    else:
        below, above = np.take(ordered, low, axis=dim), np.take(ordered, high, axis=dim)
        t = (at - low) if interpolation == "linear" else np.where(at > low, 0.5, 0.0)
        shape = [1] * x.ndim
        shape[dim] = -1
        t = t.reshape(shape) if t.ndim else t
        made = below + t * (above - below)
    if np.ndim(q) == 1:
        made = np.moveaxis(made, dim, 0)
        return np.expand_dims(made, dim % x.ndim + 1) if keepdim else made
    return np.expand_dims(made, dim) if keepdim else made


def shared(d: Draw) -> Arguments:
    """Draw a tensor, one share or more, an axis, and what is between two entries.

    Half way between two entries both are nearest, and libraries choose.
    """
    shape = d.shape((4,), (2, 3), (3, 2), (3, 1), (5,), (1, 3, 3))
    x, axis = d.array(shape), d.axis(shape)
    q = d.pick(0.5, 0.25, np.array([0.25, 0.75]), 1.0)
    keep, how = d.pick(False, True), d.pick("linear", "lower", "higher", "midpoint", "nearest")
    if how == "nearest" and np.any(np.asarray(q) * (shape[axis] - 1) % 1 == 0.5):
        how = "lower"
    return Arguments((x,), (q, axis, keep, how))


def call_quantile(be: Any, x: Any, q: Any, dim: int, keepdim: bool, interpolation: str) -> Any:  # noqa: FBT001
    """Call it with shares that are constants."""
    share = be.tensor(q) if isinstance(q, np.ndarray) else q
    return be.quantile(x, share, dim, keepdim, interpolation=interpolation)


def extremes_so_far(best: Any) -> Any:
    """The largest or smallest entry up to each one; of equal ones the last."""

    def forward(x: Array, dim: int) -> Array:
        at = np.moveaxis(floats(x), dim, 0)
        places = np.arange(at.shape[0]).reshape(-1, *(1,) * (at.ndim - 1))
        chosen = np.maximum.accumulate(np.where(at == best.accumulate(at), places, 0))
        return np.take_along_axis(x, np.moveaxis(chosen, 0, dim), dim)

    return forward


def kth(x: Array, k: int, dim: int, keepdim: bool) -> Array:  # noqa: FBT001
    """The entry at a rank."""
    made = np.take(np.sort(x, axis=dim), k - 1, axis=dim)
    return np.expand_dims(made, dim) if keepdim else made


def at_rank(d: Draw) -> Arguments:
    """Draw a tensor, a rank and an axis."""
    shape = d.shape((3,), (2, 3), (4, 3), (3, 1), (1, 2, 2))
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (1 + d.byte() % shape[axis], axis, d.pick(False, True)))


def often(x: Array, dim: int) -> Array:
    """The smallest of the entries that stand there most often."""
    ordered = np.sort(x, axis=dim)
    rows = np.moveaxis(ordered, dim, -1)
    same = floats(rows)[..., :, None] == floats(rows)[..., None, :]
    return np.take_along_axis(rows, same.sum(-1).argmax(-1)[..., None], -1)[..., 0]


def nanmedian(x: Array, dim: int) -> Array:
    """The entry in the middle of those that are numbers, the lower of two."""
    rows = np.moveaxis(x, dim, -1)
    order = np.argsort(floats(rows), axis=-1, kind="stable")
    count = (~np.isnan(floats(rows))).sum(-1)
    place = np.take_along_axis(order, np.maximum(count - 1, 0)[..., None] // 2, -1)
    return np.take_along_axis(rows, place, -1)[..., 0]


def differences(x: Array, n: int, dim: int) -> Array:
    """Each entry less the one before it, several times over."""
    for _ in range(n):
        size = x.shape[dim]
        first = np.take(x, range(size - 1), axis=dim)
        x = np.take(x, range(1, size), axis=dim) - first
    return x


def apart(d: Draw) -> Arguments:
    """Draw a tensor, how often differences are taken, and an axis."""
    shape = d.shape((4,), (2, 3), (3, 2), (3, 1), (1, 3, 3))
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (d.pick(1, 2) if shape[axis] > 2 else 1, axis))


def areas(x: Array, dx: float, dim: int) -> Array:
    """The area between neighbours under straight lines."""
    ahead = np.moveaxis(x, dim, -1)
    return (ahead[..., 1:] + ahead[..., :-1]) * (dx / 2)


def stepped(d: Draw) -> Arguments:
    """Draw a tensor, a step, and an axis."""
    shape = d.shape((4,), (2, 3), (3, 2), (1, 3), (1, 2, 2))
    return Arguments((d.array(shape),), (), {"dx": d.pick(1.0, 0.5), "dim": d.axis(shape)})


def gradient(x: Array, spacing: float, dim: int) -> Array:
    """Slopes by differences of neighbours, of one side at the ends."""
    ahead = np.moveaxis(x, dim, 0)
    parts = [(ahead[1:2] - ahead[:1]) / spacing, (ahead[2:] - ahead[:-2]) / (2 * spacing),
             (ahead[-1:] - ahead[-2:-1]) / spacing]  # fmt: skip
    return np.moveaxis(np.concatenate(parts), 0, dim)


def sloped(d: Draw) -> Arguments:
    """Draw a tensor, a spacing, and an axis with two entries or more."""
    shape = d.shape((4,), (2, 5), (3, 2), (2, 2), (5, 2))
    return Arguments((d.array(shape),), (), {"spacing": d.pick(1.0, 0.5), "dim": d.axis(shape)})


def covariance(x: Array, correction: int) -> Array:
    """The covariances of rows."""
    rows = x.reshape((1, -1)) if x.ndim == 1 else x
    off = rows - rows.mean(1, keepdims=True)
    made = off @ off.T / (rows.shape[1] - correction)
    result: Array = made.reshape(()) if made.size == 1 else made
    return result


def correlation(x: Array) -> Array:
    """Covariances, over the roots of variances."""
    made = covariance(x, 1)
    root = np.sqrt(np.diagonal(made))
    result: Array = made / root[:, None] / root
    return result


def rows_off_a_line(d: Draw) -> Arguments:
    """Draw two rows, not as points on a line: there the correlation is 1 but for rounding.

    PyTorch and NumPy clip it to 1, and what is clipped has no gradient.
    """
    x = d.array(d.shape((2, 3), (2, 4)))
    with np.errstate(all="ignore"):
        if abs(correlation(x)[0, 1]) > 0.999:
            x = x.copy()
            x[1, 0] += 1
    return Arguments((x,))


def one_of(x: Array, dim: int, keepdim: bool) -> list[Array]:  # noqa: FBT001
    """The smallest and the largest entries."""
    return [np.min(x, axis=dim, keepdims=keepdim), np.max(x, axis=dim, keepdims=keepdim)]


def with_keeping(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and whether to keep it."""
    shape = d.shape(*FILLED_VECTORS)
    return Arguments((d.array(shape),), (d.axis(shape), d.pick(False, True)))


def ordered(name: str, forward: Any, draw: Any, **more: Any) -> Operation:
    """Make the record of what chooses by order."""
    return Operation(name, forward, draw, kinks="equal entries", ties=True, **more)


def first(name: str) -> Any:
    """Call a function of two results, and take the first."""
    return lambda be, *rest: getattr(be, name)(*rest)[0]


def kept(function: Any) -> Any:
    """Give a predicate PyTorch's arguments."""
    return lambda x, dim, keepdim: function(x, axis=dim, keepdims=keepdim)


def with_values(d: Draw) -> Arguments:
    """Draw a tensor with zeros, an axis, and whether to keep it."""
    shape = d.shape(*VECTORS)
    return Arguments((d.array(shape, HALVES),), (d.axis(shape), d.pick(False, True)))


def distinct(d: Draw) -> Arguments:
    """Draw a tensor of distinct entries, an axis, and whether to keep it."""
    shape = d.shape(*FILLED_VECTORS)
    return Arguments((d.distinct(shape),), (d.axis(shape), d.pick(False, True)))


def log_of_several(x: Array, dim: Any, keepdim: bool) -> Array:  # noqa: FBT001
    """Log of the sum of e ** x along axes."""
    top, rest = below_the_top(x, dim)
    made = np.log(np.exp(rest).sum(dim, keepdims=True)) + top
    result: Array = made if keepdim else np.squeeze(made, dim)
    return result


def middle_of_all(x: Array) -> Array:
    """The entry in the middle of all, the lower of two."""
    result: Array = np.sort(x.reshape(-1), axis=0)[(x.size - 1) // 2]
    return result


MORE_REDUCTIONS = (
    Operation("nansum", over(nansum), several(GAPS), linear=False),
    Operation("nanmean", over(nanmean), several(GAPS, numbers=True)),
    Operation("sum_several", over(np.sum), several(SMALL), linear=True),
    Operation("logsumexp_several", log_of_several,
              several(SMALL)),
    Operation("var_several", spread_over, varied),
    Operation("std_several", lambda x, *a, **o: np.sqrt(spread_over(x, *a, **o)), varied,
              kinks="equal entries", ties=True),
    Operation("var_mean", lambda x, dim, correction, keepdim: [
        spread_over(x, dim, correction, keepdim), x.mean(dim, keepdims=keepdim)], varied),
    Operation("std_mean", lambda x, dim, correction, keepdim: [
        np.sqrt(spread_over(x, dim, correction, keepdim)), x.mean(dim, keepdims=keepdim)], varied,
        kinks="equal entries", ties=True),
    Operation("prod_all", np.prod, one(SMALL)),
    ordered("max_all", largest, one(shapes=FILLED)),
    ordered("min_all", smallest, one(shapes=FILLED)),
    ordered("median_all", middle_of_all, one(shapes=FILLED)),
    ordered("quantile", middle, shared, call=call_quantile),
    ordered("cummax", extremes_so_far(np.maximum), along(shapes=FILLED_VECTORS),
            call=first("cummax")),
    ordered("cummin", extremes_so_far(np.minimum), along(shapes=FILLED_VECTORS),
            call=first("cummin")),
    ordered("kthvalue", kth, at_rank, call=first("kthvalue")),
    ordered("mode", often, along(shapes=FILLED_VECTORS), call=first("mode")),
    ordered("nanmedian", nanmedian, along(shapes=FILLED_VECTORS), call=first("nanmedian")),
    ordered("aminmax", one_of, with_keeping,
            call=lambda be, x, dim, keepdim: be.aminmax(x, dim=dim, keepdim=keepdim)),
    ordered("msort", lambda x: np.sort(x, axis=0), one(shapes=FILLED_VECTORS)),
    ordered("sort_stable", sorted_along, in_order, call=lambda be, x, dim, descending:
            be.sort_stable(x, stable=True, dim=dim, descending=descending)[0]),
    Operation("diff", differences, apart, linear=True),
    Operation("trapezoid", lambda x, dx, dim: areas(x, dx, dim).sum(-1), stepped, linear=True),
    Operation("cumulative_trapezoid", lambda x, dx, dim: np.moveaxis(
        np.cumsum(areas(x, dx, dim), axis=-1), -1, dim), stepped, linear=True),
    Operation("gradient", gradient, sloped, linear=True,
              call=lambda be, x, spacing, dim: be.gradient(x, spacing=spacing, dim=dim)[0]),
    Operation("cov", covariance, lambda d: Arguments(
        (d.array(d.shape((2, 3), (3,), (1, 4))),), (), {"correction": d.pick(1, 0)})),
    Operation("corrcoef", correlation, rows_off_a_line, kinks="equal entries", ties=True),
    Operation("all_along", kept(np.all), with_values, differentiable=False),
    Operation("any_along", kept(np.any), with_values, differentiable=False),
    Operation("count_nonzero_along", lambda x, dim: np.count_nonzero(x, axis=dim),
              along(HALVES), differentiable=False),
    Operation("argmax_keepdim", lambda x, dim, keepdim: np.argmax(x, axis=dim, keepdims=keepdim),
              distinct, differentiable=False),
    Operation("argmin_keepdim", lambda x, dim, keepdim: np.argmin(x, axis=dim, keepdims=keepdim),
              distinct, differentiable=False),
)  # fmt: skip
"""Reductions beyond the most used."""
