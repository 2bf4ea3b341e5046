"""Reductions and order, by all options at once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments
from .drawing import SMALL, UNIT, Array, Draw, Shape
from .operation import Operation
from .optional import calling, given, plain
from .parts import Flag
from .reducing import (
    GAPS,
    extremes_so_far,
    kth,
    log_of_several,
    middle,
    nanmean,
    nanmedian,
    nansum,
    often,
    ordered,
    spread_over,
)
from .reductions import (
    largest,
    log_shares,
    logs_of_sums,
    median,
    running,
    shares,
    smallest,
    sorted_along,
    top,
)

CUBES: tuple[Shape, ...] = ((2, 3), (4,), (2, 3, 2))
"""Shapes of one axis, two and three."""


OneOrMore = int | tuple[int, ...] | None


# ---- along axes ----------------------------------------------------------------------------------


def some_axes(d: Draw, shape: Shape) -> OneOrMore:
    """Draw an axis or several, in a pair or alone, or none named."""
    rank = len(shape)
    return d.pick(None, -1, 0, (-1,), (-1, 0)[-rank:], tuple(range(rank)), max(0, rank - 2))


def known(x: Array, dim: OneOrMore) -> tuple[int, ...]:
    """All axes where none is named."""
    if dim is None:
        return tuple(range(x.ndim))
    return (dim,) if isinstance(dim, int) else dim


def axes_and(values: Array, *, named: bool = False) -> Callable[[Draw], Arguments]:
    """Draw a tensor, axes, which are `named` always or not, and whether they are kept."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*CUBES, many=0)
        dim = some_axes(d, shape)
        x = d.array(shape, values)
        if values is GAPS:
            # Something is left to take the mean of, whichever slice is looked at.
            axes = [a % x.ndim for a in known(x, 0 if named and dim is None else dim)]
            x[tuple(0 if a in axes else slice(None) for a in range(x.ndim))] = 1.0
        return Arguments((x,), (), {"dim": 0 if named and dim is None else dim,
                                    "keepdim": d.pick(None, True, False)})  # fmt: skip

    return draw


def over_axes(function: Callable[..., Array]) -> Callable[..., Array]:
    """Reduce along axes, or all of them."""
    return lambda x, dim, keepdim: function(x, axis=known(x, dim), keepdims=bool(keepdim))


def along_one(values: Array = SMALL) -> Callable[[Draw], Arguments]:
    """Draw a tensor, and one of its axes."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*CUBES, many=0)
        return Arguments((d.array(shape, values),), (), {"dim": d.axis(shape)})

    return draw


def varied(d: Draw) -> Arguments:
    """Draw a tensor, axes, how many entries less count, and whether axes are kept."""
    shape = d.shape((2, 3), (5,), (2, 2, 3), many=0)
    dim = d.pick(None, -1, (-1,), (0, -1)[-len(shape) :], tuple(range(len(shape))))
    count = math.prod(shape[a] for a in known(np.zeros(shape), dim))
    correction = d.pick(*(each for each in (None, 0, 2, 1, 3) if (each or 0) < count))
    named = {"dim": dim, "correction": correction, "keepdim": d.pick(None, True, False)}
    return Arguments((d.array(shape),), (), named)


def spread(x: Array, dim: Any, correction: int | None, keepdim: Flag) -> Array:
    """The mean square of deviations."""
    return spread_over(x, known(x, dim), 1 if correction is None else correction, bool(keepdim))


def mean(x: Array, dim: Any, keepdim: Flag) -> Array:
    """The mean."""
    result: Array = x.mean(known(x, dim), keepdims=bool(keepdim))
    return result


# ---- values and their places ---------------------------------------------------------------------


def found_along(*more: str) -> Callable[[Draw], Arguments]:
    """Draw a tensor, one of its axes, and what else is said."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*CUBES, (3, 1), many=0)
        axis = d.axis(shape)
        n = shape[axis]
        known: dict[str, tuple[Any, ...]] = {
            "keepdim": (None, True, False), "largest": (None, False, True), "sorted": (None, True),
            "descending": (None, True, False), "stable": (None, True, False),
            "k": (1, n, max(1, n - 1)),
        }  # fmt: skip
        named = {word: d.pick(*known[word]) for word in more}
        return Arguments((d.array(shape),), (), {"dim": axis, **named})

    return draw


def call_found(name: str) -> Callable[..., Any]:
    """Call it, and return values, and what stands in the places that it names."""

    def call(be: Any, x: Any, **named: Any) -> Any:
        values, places = getattr(be, name)(x, **given(**named))
        dim = named["dim"]
        if be.dim(places) == be.dim(x):
            return [values, be.gather(x, dim, places)]
        return [values, be.squeeze(be.gather(x, dim, be.unsqueeze(places, dim)), dim)]

    return call


def found(name: str, forward: Callable[..., Array], *more: str) -> Operation:
    """Make the record of what finds entries along an axis, and where they are."""
    word = f"{name}_options"

    def twice(x: Array, dim: int, keepdim: Flag = None, **named: Any) -> list[Array]:
        made = forward(x, dim, **named)
        made = np.expand_dims(made, dim) if keepdim else made
        return [made, made]

    return Operation(word, twice, found_along(*more), kinks="equal entries", ties=True,
                     call=call_found(word))  # fmt: skip


def best(x: Array, dim: int, k: int, largest: Flag, sorted: Flag) -> Array:
    """The first entries in order."""
    del sorted
    return top(x, k, dim, largest is not False)


def in_order(x: Array, dim: int, stable: Flag, descending: Flag) -> Array:
    """The entries in order."""
    del stable
    return sorted_along(x, dim, bool(descending))


def with_equals(d: Draw) -> Arguments:
    """Draw what is put into the order of numbers of which many are equal."""
    shape = d.shape(*CUBES, many=0)
    axis = d.axis(shape)
    keys = d.indices(shape, 2).astype(float)
    return Arguments((d.array(shape),), (keys,), {"dim": axis, "descending": d.pick(True, None)})


def put_in_order(x: Array, keys: Array, dim: int, descending: Flag) -> Array:
    """The entries in the order of keys; those of equal keys stay in theirs."""
    order = np.argsort(-keys if descending else keys, axis=dim, kind="stable")
    return np.take_along_axis(x, order, dim)


def call_stable(be: Any, x: Any, keys: Array, **named: Any) -> Any:
    """Call it with keys that are constants."""
    _, places = be.sort_stable_options(be.tensor(keys), stable=True, **given(**named))
    return be.gather(x, named["dim"], places)


def shared(d: Draw) -> Arguments:
    """Draw a tensor, one share or more, perhaps an axis, and what is between two entries.

    Half way between two entries both are nearest, and libraries choose. Every dtype has the shares:
    what is 0.8 in float32 lies above it, and so may the next entry.
    """
    shape = d.shape((2, 3), (5,), (3, 2), (2, 2, 3), many=0)
    x, dim = d.array(shape), d.pick(None, -1, 0, len(shape) - 1)
    q = d.pick(0.5, 0.3125, np.array([0.25, 0.8125]), 0.0, 1.0, np.array([0.5625]))
    how = d.pick(None, "linear", "lower", "higher", "midpoint", "nearest")
    count = x.size if dim is None else shape[dim]
    if how == "nearest" and np.any(np.asarray(q) * (count - 1) % 1 == 0.5):
        how = "lower"
    named = {"dim": dim, "keepdim": d.pick(None, True, False), "interpolation": how}
    return Arguments((x,), (q,), named)


def share(x: Array, q: Any, dim: int | None, keepdim: Flag, interpolation: Any) -> Array:
    """The entry below which a share of all entries lies."""
    how = interpolation or "linear"
    if dim is not None:
        return middle(x, q, dim, bool(keepdim), how)
    made = middle(x.reshape(-1), q, 0, keepdim=False, interpolation=how)
    return made.reshape((*np.shape(q), *(1,) * x.ndim)) if keepdim else made


def call_share(be: Any, x: Any, q: Any, **named: Any) -> Any:
    """Call it with shares that are constants."""
    known = be.tensor(q) if isinstance(q, np.ndarray) else q
    return be.quantile_options(x, known, **given(**named))


REDUCING_OPTIONS = (
    Operation("sum_options", over_axes(np.sum), axes_and(SMALL), linear=True,
              call=lambda be, x, dim, **named: be.sum_options(x, dim, **given(**named))),
    Operation("mean_options", over_axes(np.mean), axes_and(SMALL), linear=True,
              call=lambda be, x, dim, **named: be.mean_options(x, dim, **given(**named))),
    plain("nansum_options", over_axes(nansum), axes_and(GAPS)),
    plain("nanmean_options", over_axes(nanmean), axes_and(GAPS)),
    plain("logsumexp_options", lambda x, dim, keepdim: log_of_several(
        x, known(x, dim), bool(keepdim)), axes_and(SMALL, named=True)),
    ordered("amax_options", over_axes(largest), axes_and(SMALL), call=calling("amax_options")),
    ordered("amin_options", over_axes(smallest), axes_and(SMALL), call=calling("amin_options")),
    plain("prod_options", lambda x, dim, keepdim=None: np.prod(x, axis=dim, keepdims=bool(
        keepdim)), lambda d: Arguments((d.array(shape := d.shape(*CUBES, many=0), SMALL),), (), {
            "dim": d.axis(shape), "keepdim": d.pick(None, True, False)})),
    plain("var_options", spread, varied),
    plain("std_options", lambda x, **named: np.sqrt(spread(x, **named)), varied,
          kinks="equal entries", ties=True),
    Operation("var_mean_options", lambda x, dim, correction, keepdim: [
        spread(x, dim, correction, keepdim), mean(x, dim, keepdim)], varied,
        call=lambda be, x, **named: [*be.var_mean_options(x, **given(**named))]),
    Operation("std_mean_options", lambda x, dim, correction, keepdim: [
        np.sqrt(spread(x, dim, correction, keepdim)), mean(x, dim, keepdim)], varied,
        call=lambda be, x, **named: [*be.std_mean_options(x, **given(**named))],
        kinks="equal entries", ties=True),
    plain("cumsum_options", running(np.cumsum), along_one(), linear=True),
    plain("cumprod_options", running(np.cumprod), along_one()),
    plain("logcumsumexp_options", running(logs_of_sums), along_one(UNIT), formulas=(
        running(lambda x, axis: np.log(np.cumsum(np.exp(x), axis=axis))),)),
    plain("softmax_options", running(shares), along_one(UNIT)),
    plain("log_softmax_options", running(log_shares), along_one(UNIT)),
    found("max", largest, "keepdim"),
    found("min", smallest, "keepdim"),
    found("median", median, "keepdim"),
    found("nanmedian", nanmedian, "keepdim"),
    found("mode", often, "keepdim"),
    found("kthvalue", lambda x, dim, k: kth(x, k, dim, keepdim=False), "k", "keepdim"),
    found("cummax", extremes_so_far(np.maximum)),
    found("cummin", extremes_so_far(np.minimum)),
    found("topk", best, "k", "largest", "sorted"),
    found("sort", in_order, "stable", "descending"),
    Operation("sort_stable_options", put_in_order, with_equals, linear=True, call=call_stable),
    ordered("quantile_options", share, shared, call=call_share),
)  # fmt: skip
"""Reductions, running values and order."""
