"""Reductions, order and differences, by their rarer options."""

import math
from typing import Any

import numpy as np

from .arguments import FILLED_VECTORS, Arguments, one
from .distances import LITTLE, norm
from .drawing import HALVES, NONZERO, SMALL, Array, Draw
from .operation import Operation
from .parts import RANKED, floats, pick
from .reducing import (
    GAPS,
    differences,
    first,
    kept,
    middle,
    nanmean,
    nanmedian,
    nansum,
    often,
    one_of,
    ordered,
    several,
    spread_over,
    with_keeping,
)
from .reductions import largest, median, over, ranked, smallest, sorted_along, top

# ---- along an axis, which stays or goes ----------------------------------------------------------


def keeping(function: Any) -> Any:
    """Let a reduction along an axis keep it."""

    def forward(x: Array, dim: int, keepdim: bool) -> Array:  # noqa: FBT001
        made = function(x, dim)
        return np.expand_dims(made, dim) if keepdim else made

    return forward


def gaps_keeping(d: Draw) -> Arguments:
    """Draw a tensor some of whose entries are no numbers, an axis, and whether to keep it."""
    x = d.array(d.shape((4,), (2, 3), (3, 1), (2, 3, 2)), GAPS)
    return Arguments((x,), (d.axis(x.shape), d.pick(False, True)))


def chosen(name: str, function: Any, draw: Any = with_keeping) -> Operation:
    """Make the record of what chooses an entry along an axis, which may be kept."""
    word = f"{name}_keepdim"
    return ordered(word, keeping(function), draw, call=first(word))


def corrected(d: Draw) -> Arguments:
    """Draw a tensor of three entries or more, the correction, and whether its axes are kept."""
    x = d.array(d.shape((3,), (2, 3), (2, 2, 3), (4,)))
    named = {"dim": None, "correction": d.pick(1, 0, 2), "keepdim": d.pick(False, True)}
    return Arguments((x,), (), named)


def spread_of_all(x: Array, dim: None, correction: int, keepdim: bool) -> Array:  # noqa: FBT001
    """The mean square of deviations of all entries."""
    del dim
    return spread_over(x, tuple(range(x.ndim)), correction, keepdim)


def biased(d: Draw) -> Arguments:
    """Draw a tensor, axes along which it varies, and whether one entry less counts."""
    shape = d.shape((2, 3), (2, 2, 3), (3, 4), (4, 3))
    axes = d.pick((0, 1), (-1,), (1,))
    return Arguments((d.array(shape),), (axes, d.pick(False, True), d.pick(True, False)))


def by_bias(x: Array, dim: Any, unbiased: bool, keepdim: bool) -> Array:  # noqa: FBT001
    """The mean square of deviations, over one entry less if it is to be unbiased."""
    return spread_over(x, dim, int(unbiased), keepdim)


def share_of_all(x: Array, q: float, keepdim: bool, interpolation: str) -> Array:  # noqa: FBT001
    """The entry below which a share of all entries lies."""
    made = middle(x.reshape(-1), q, 0, keepdim=False, interpolation=interpolation)
    return made.reshape((1,) * x.ndim) if keepdim else made


def shared_of_all(d: Draw) -> Arguments:
    """Draw a tensor, a share that lies on an entry or between two, and what is between."""
    x = d.array(d.shape((5,), (1, 5), (5, 1)))
    named = {"keepdim": d.pick(False, True), "interpolation": d.pick("lower", "higher", "linear")}
    return Arguments((x,), (d.pick(0.375, 0.5, 0.625, 1.0),), named)


def best_of(x: Array, k: int, dim: int, large: bool) -> Array:  # noqa: FBT001
    """The best entries, in ascending order."""
    return np.sort(top(x, k, dim, large), axis=dim)


# ---- differences, areas and slopes ---------------------------------------------------------------


def weighted_columns(d: Draw) -> Arguments:
    """Draw rows, how often each column stands there, and how much it counts."""
    x = d.array(d.shape((2, 3), (3, 3), (1, 3), many=0))
    named = {"correction": d.pick(1, 0), "fweights": 1 + d.indices((3,), 3)}
    return Arguments((x,), (), named | {"aweights": d.pick(np.array([1.0, 0.5, 2.0]), np.ones(3))})


def weighted_covariance(x: Array, correction: int, fweights: Array, aweights: Array) -> Array:
    """The covariances of rows whose columns have weights, as NumPy documents them."""
    w = fweights * aweights
    off = x - (x * w).sum(1, keepdims=True) / w.sum()
    made = (off * w) @ off.T / (w.sum() - correction * (w * aweights).sum() / w.sum())
    result: Array = made.reshape(()) if made.size == 1 else made
    return result


def call_cov(be: Any, x: Any, correction: int, **weights: Array) -> Any:
    """Call it with weights that are constants."""
    known = {word: be.tensor(weight) for word, weight in weights.items()}
    return be.cov_weighted(x, correction=correction, **known)


def between_ends(d: Draw) -> Arguments:
    """Draw a tensor, what stands before and after it, how often differences are taken, where."""
    shape = d.shape((3,), (2, 3), (3, 2))
    axis = d.axis(shape)
    ends = []
    for size in (d.pick(1, 2), d.pick(1, 2)):
        own = [*shape]
        own[axis] = size
        ends.append(d.array(tuple(own)))
    return Arguments((d.array(shape), *ends), (d.pick(1, 2), axis))


def above(*, several: bool) -> Any:
    """Draw heights, and the places above which they stand."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape((4,), (2, 3), (3, 2), (1, 3))
        axis = d.axis(shape)
        own = d.pick(shape, (shape[-1],)) if several and axis % len(shape) == len(shape) - 1 else (
            shape)  # fmt: skip
        return Arguments((d.array(shape), d.array(own)), (), {"dim": axis})

    return draw


def areas_above(y: Array, x: Array, dim: int) -> Array:
    """The areas between neighbours, under straight lines above places."""
    heights, at = np.moveaxis(y, dim, -1), np.moveaxis(x, dim if x.ndim > 1 else 0, -1)
    result: Array = (at[..., 1:] - at[..., :-1]) * (heights[..., 1:] + heights[..., :-1]) / 2
    return result


def by_parabolas(x: Array, spacing: float, dim: int) -> Array:
    """Slopes by differences, at the ends of the parabola through three entries."""
    ahead = np.moveaxis(x, dim, 0)
    left = (-3 * ahead[0] + 4 * ahead[1] - ahead[2]) / (2 * spacing)
    right = (3 * ahead[-1] - 4 * ahead[-2] + ahead[-3]) / (2 * spacing)
    inside = (ahead[2:] - ahead[:-2]) / (2 * spacing)
    return np.moveaxis(np.concatenate([left[None], inside, right[None]]), 0, dim)


def edged(d: Draw) -> Arguments:
    """Draw a tensor, a spacing, and an axis with three entries or more."""
    shape, axis = d.pick(((4,), 0), ((2, 3), -1), ((3, 2), 0), ((3, 4), 1))
    return Arguments((d.array(shape),), (), {"spacing": d.pick(1.0, 0.5), "dim": axis})


def slopes(x: Array, spacing: tuple[Any, ...], dim: tuple[int, ...]) -> list[Array]:
    """Slopes along several axes: at equal distances, or between places.

    Between places h to the left and k to the right the slope is that of the parabola (Fornberg,
    1988, table 4 of unequal steps).
    """
    made = []
    for step, axis in zip(spacing, dim, strict=True):
        ahead = np.moveaxis(x, axis, 0)
        at = np.arange(len(ahead)) * step if np.ndim(step) == 0 else step
        h = np.diff(at).reshape((-1, *(1,) * (x.ndim - 1)))
        a, b = h[:-1], h[1:]
        rises = (ahead[1:] - ahead[:-1]) / h
        # Entry by entry, as libraries weigh them: of equal ones roundings are left.
        inside = a / b * ahead[2:] / (a + b) - b / a * ahead[:-2] / (a + b)
        inside = inside + (b - a) / (a * b) * ahead[1:-1]
        parts = [rises[:1], inside, rises[-1:]]
        made.append(np.moveaxis(np.concatenate(parts), 0, axis))
    return made


def sloped(d: Draw) -> Arguments:
    """Draw a tensor, and for each axis a distance, or places."""
    x = d.array(d.shape((3, 4), (3, 2), (4, 3), many=0))
    spacing: tuple[Any, ...] = (d.pick(1.0, 0.5), d.pick(2.0, 1.0))
    if d.pick(True, False):
        spacing = tuple(np.array([0.0, 1.0, 1.5, 3.5])[:n] for n in x.shape)
    dims = d.pick((0, 1), (1, 0))
    return Arguments((x,), (), {"spacing": tuple(spacing[a] for a in dims), "dim": dims})


def call_gradient(be: Any, x: Any, spacing: tuple[Any, ...], dim: tuple[int, ...]) -> Any:
    """Call it with places that are constants."""
    known = tuple(be.tensor(each) if np.ndim(each) else each for each in spacing)
    return be.gradient_several(x, spacing=known, dim=dim)


# ---- what is near, and where it would stand ------------------------------------------------------

CLOSE = np.resize([1.0, math.nan, 1.25, math.inf, -1.0, 0.0, -math.inf, 2.0], 256)
"""Values some of which are within a quarter of each other."""


def near(d: Draw) -> Arguments:
    """Draw two tensors, some of whose entries are the same, and how far they may be apart."""
    shape = d.shape()
    x, y = d.array(shape, CLOSE), d.array(shape, CLOSE)
    named = {"rtol": d.pick(0.25, 0.0), "atol": d.pick(0.0, 0.5), "equal_nan": d.pick(True, False)}
    return Arguments((x, np.where(d.mask(shape), x, y)), (), named)


def rows_in_order(d: Draw) -> Arguments:
    """Draw rows, the order that sorts each of them, and numbers whose places are asked for."""
    rows, count = d.pick((2, 3), (1, 2), (3, 1))
    x = d.array((rows, 4), HALVES)
    order = np.argsort(x, axis=1, kind="stable")
    named = {"side": d.pick("left", "right"), "sorter": order}
    return Arguments((x, d.array((rows, count), HALVES)), (), named)


def searched_rows(x: Array, y: Array, side: Any, sorter: Array) -> Array:
    """The places at which numbers would stand in each row, if it were in order."""
    rows = [np.searchsorted(row, each, side, order) for row, each, order in zip(
        x, y, sorter, strict=True)]  # fmt: skip
    return np.stack(rows)


# ---- orders --------------------------------------------------------------------------------------


def norm_of(x: Array, order: float, dim: Any, keepdim: bool) -> Any:  # noqa: FBT001
    """The norm of an order, that of order 0 too: how many entries are not zero."""
    if order == 0:
        return pick(floats(x) != 0, 1.0 + 0 * x, 0).sum(dim, keepdims=keepdim)
    return norm(x, order, dim, keepdim)


def of_orders(d: Draw) -> Arguments:
    """Draw a tensor, an order, axes, and whether they are kept; of order 0 some entries are 0."""
    shape, order = d.shape((3,), (2, 3), (2, 2, 2), (3, 1), (1, 2, 2)), d.pick(0.0, -1.0, -2.0, 4.0)
    axes = d.pick(d.axis(shape), d.axes(shape), None)
    x = d.array(shape, NONZERO if order else SMALL)
    return Arguments((x,), (order, axes, d.pick(False, True)))


def between_rows(x: Array, y: Array, p: float) -> Any:
    """The distances of all rows, by any order."""
    return norm_of(x[..., :, None, :] - y[..., None, :, :], p, -1, keepdim=False)


def rows(d: Draw) -> Arguments:
    """Draw rows of which none are equal, batches that broadcast, and an order."""
    x, y = d.shapes(
        ((2, 3), (2, 3)), ((1, 2), (3, 2)), ((2, 1, 2), (2, 2)), ((3, 1), (2, 1, 1)), many=0
    )
    tensors = d.array(x, RANKED, fixed=True), d.array(y, LITTLE, fixed=True)
    return Arguments(tensors, (d.pick(0.0, 0.5, 4.0, 2.0),))


REDUCING_FORMS = (
    Operation("prod_keepdim", over(np.prod), lambda d: Arguments(
        (x := d.array(d.shape(*FILLED_VECTORS), SMALL),), (d.axis(x.shape), d.pick(True, False)))),
    chosen("max", largest),
    chosen("min", smallest),
    chosen("median", median),
    chosen("mode", often),
    chosen("nanmedian", nanmedian, gaps_keeping),
    ordered("aminmax_all", lambda x: one_of(x.reshape(-1), 0, keepdim=False),
            one(shapes=((3,), (2, 3), (), (2, 1, 2)))),
    Operation("nansum_all", nansum, one(GAPS)),
    Operation("nanmean_all", nanmean, lambda d: Arguments((
        np.concatenate([np.ones(1), d.array((3,), GAPS)]).reshape(d.pick((4,), (2, 2))),))),
    Operation("all_several", kept(np.all), several(HALVES), differentiable=False),
    Operation("any_several", kept(np.any), several(HALVES), differentiable=False),
    Operation("count_nonzero_several", lambda x, dim: np.count_nonzero(x, axis=dim),
              lambda d: Arguments((d.array((2, 3, 2), HALVES),), (d.pick((0, 1), (2,), (-1, 0)),)),
              differentiable=False),
    ordered("topk_unsorted", best_of, ranked, call=lambda be, x, k, dim, large: be.sort(
        be.topk_unsorted(x, k, dim, largest=large)[0], dim)[0]),
    Operation("argsort_stable", sorted_along, lambda d: Arguments(
        (x := d.array(d.shape(*FILLED_VECTORS)),), (d.axis(x.shape), d.pick(True, False))),
        differentiable=False, call=lambda be, x, dim, descending: be.gather(
            x, dim, be.argsort_stable(x, dim=dim, descending=descending))),
    Operation("var_all", spread_of_all, corrected),
    Operation("std_all", lambda x, **named: np.sqrt(spread_of_all(x, **named)), corrected,
              kinks="equal entries", ties=True),
    Operation("var_unbiased", by_bias, biased),
    Operation("std_unbiased", lambda x, *rest: np.sqrt(by_bias(x, *rest)), biased,
              kinks="equal entries", ties=True),
    Operation("var_mean_unbiased", lambda x, dim, unbiased, keepdim: [
        by_bias(x, dim, unbiased, keepdim), x.mean(dim, keepdims=keepdim)], biased),
    Operation("std_mean_unbiased", lambda x, dim, unbiased, keepdim: [
        np.sqrt(by_bias(x, dim, unbiased, keepdim)), x.mean(dim, keepdims=keepdim)], biased,
        kinks="equal entries", ties=True),
    ordered("quantile_all", share_of_all, shared_of_all),
    Operation("cov_weighted", weighted_covariance, weighted_columns, call=call_cov),
    Operation("diff_ends", lambda x, low, high, n, dim: differences(
        np.concatenate([low, x, high], dim), n, dim), between_ends, linear=True,
        call=lambda be, x, low, high, n, dim: be.diff_ends(x, n, dim, low, high)),
    Operation("trapezoid_places", lambda y, x, dim: areas_above(y, x, dim).sum(-1),
              above(several=True)),
    Operation("cumulative_trapezoid_places", lambda y, x, dim: np.moveaxis(
        np.cumsum(areas_above(y, x, dim), axis=-1), -1, dim), above(several=False)),
    Operation("gradient_edges", by_parabolas, edged, linear=True,
              call=lambda be, x, **named: be.gradient_edges(x, **named)[0]),
    Operation("gradient_several", slopes, sloped, linear=True, call=call_gradient),
    Operation("isclose_within", np.isclose, near, differentiable=False),
    Operation("searchsorted_rows", searched_rows, rows_in_order, differentiable=False,
              call=lambda be, x, y, side, sorter: be.searchsorted_rows(
                  x, y, side=side, sorter=be.tensor(sorter))),
    Operation("vector_norm_orders", norm_of, of_orders, kinks="0 and ties", ties=True),
    Operation("cdist_orders", between_rows, rows, kinks="equal entries", ties=True,
              call=lambda be, x, y, p: be.cdist_orders(x, y, p=p)),
)  # fmt: skip
"""Forms of reductions and of what is like them."""
