"""Reductions of some of the entries: of those that a mask chooses, and of segments of an axis."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .arguments import FILLED_VECTORS, Arguments, Drawing
from .distances import norm
from .drawing import NONZERO, SMALL, Array, Draw
from .operation import Operation
from .parts import floats, pick
from .reducing import middle, nanmedian
from .reductions import largest, smallest

FAR = 2.0**20
"""Farther from zero than all entries that are drawn."""

BEYOND = 1000.0
"""Where powers of e overflow, and beyond all entries that are drawn, but a number of 16 bits."""

Selection = Callable[[Array, int, Array], Array]

# ---- behind a mask -------------------------------------------------------------------------------


def behind(values: Array, *, fewest: int = 1, keeps: bool = True) -> Drawing:
    """Draw a tensor, an axis, and a mask that chooses some entries along it, the first of them.

    What it leaves out may be far from all others: of that nothing is to be seen.
    """

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*(s for s in FILLED_VECTORS if fewest == 1 or min(s) > 1))
        x, axis, mask = d.array(shape, values), d.axis(shape), d.mask(shape)
        np.moveaxis(mask, axis, 0)[:fewest] = True
        if d.pick(False, True):
            x = np.where(mask, x, np.where(x < 0, -BEYOND, BEYOND))
        keepdim = {"keepdim": d.pick(False, True)} if keeps else {}
        return Arguments((x,), (axis,), {"mask": mask} | keepdim)

    return draw


def reduced(select: Selection) -> Callable[..., Array]:
    """Let a reduction of what is selected along an axis keep it."""

    def forward(x: Array, dim: int, mask: Array, keepdim: bool) -> Array:  # noqa: FBT001
        made = select(x, dim, mask)
        return np.expand_dims(made, dim) if keepdim else made

    return forward


def filled(reduce: Callable[..., Array], value: float) -> Selection:
    """Reduce a tensor that has this value where nothing is selected."""
    return lambda x, dim, mask: reduce(pick(mask, x, value), dim)


def running(function: Callable[..., Array], value: float) -> Selection:
    """Compute running values of what is selected, and look at them there."""
    return lambda x, dim, mask: pick(mask, function(pick(mask, x, value), dim), 0)


def mean(x: Array, dim: int, mask: Array) -> Array:
    """The sum over the count of what is selected."""
    result: Array = pick(mask, x, 0).sum(axis=dim) / mask.sum(axis=dim)
    return result


def spread(x: Array, dim: int, mask: Array) -> Array:
    """The mean square of deviations, over one entry less than are selected, of none over none."""
    off = pick(mask, x - np.expand_dims(mean(x, dim, mask), dim), 0)
    result: Array = (off * off).sum(axis=dim) / np.maximum(mask.sum(axis=dim) - 1, 0)
    return result


def below(x: Array, dim: int, mask: Array) -> tuple[Array, Array]:
    """The largest of what is selected, as a constant, and the sum of e to what is left below it."""
    top = np.where(mask, floats(x), -FAR).max(axis=dim, keepdims=True)
    return top, pick(mask, np.exp(pick(mask, x - top, 0)), 0).sum(axis=dim, keepdims=True)


def log_of_sum(x: Array, dim: int, mask: Array) -> Array:
    """Log of the sum of e ** x over what is selected."""
    top, total = below(x, dim, mask)
    result: Array = np.squeeze(np.log(total) + top, dim)
    return result


def shares(x: Array, dim: int, mask: Array) -> Array:
    """E ** x over its sum, where it is selected."""
    top, total = below(x, dim, mask)
    return pick(mask, np.exp(pick(mask, x - top, 0)) / total, 0)


def log_shares(x: Array, dim: int, mask: Array) -> Array:
    """The logarithm of e ** x over its sum, where it is selected."""
    top, total = below(x, dim, mask)
    return pick(mask, x - top - np.log(total), 0)


def masked(name: str, *order: float, whole: bool = False) -> Callable[..., Any]:
    """Call a function with a mask; of a `whole` result, look at what is selected alone."""

    def call(be: Any, x: Any, dim: int, mask: Array, **keepdim: bool) -> Any:
        chosen = be.tensor(mask)
        made = getattr(be, name)(x, *order, dim, mask=chosen, **keepdim)
        return be.where(chosen, made, be.zeros_like(made)) if whole else made

    return call


def reduction(name: str, select: Selection, draw: Drawing, **more: Any) -> Operation:
    """Make the record of a reduction of what a mask selects."""
    return Operation(name, reduced(select), draw, **{"call": masked(name)} | more)


def mapping(name: str, forward: Selection, draw: Drawing) -> Operation:
    """Make the record of what keeps the shape of what a mask selects from."""
    return Operation(name, forward, draw, call=masked(name, whole=True))


ORDERED: dict[str, Any] = {"kinks": "equal entries", "ties": True}

MASKED = (
    reduction("masked_sum", filled(np.sum, 0), behind(SMALL), linear=True),
    reduction("masked_mean", mean, behind(SMALL), linear=True),
    reduction("masked_prod", filled(np.prod, 1), behind(SMALL)),
    reduction("masked_amax", filled(largest, -FAR), behind(SMALL), **ORDERED),
    reduction("masked_amin", filled(smallest, FAR), behind(SMALL), **ORDERED),
    reduction("masked_median", filled(nanmedian, np.nan), behind(SMALL), **ORDERED),
    reduction("masked_var", spread, behind(SMALL, fewest=2),
              call=lambda be, x, dim, mask, keepdim: be.masked_var(
                  x, dim, True, keepdim=keepdim, mask=be.tensor(mask))),
    reduction("masked_norm", filled(lambda x, axis: norm(x, 2.0, axis), 0), behind(NONZERO),
              call=masked("masked_norm", 2.0)),
    reduction("masked_logsumexp", log_of_sum, behind(SMALL)),
    mapping("masked_softmax", shares, behind(SMALL, keeps=False)),
    mapping("masked_log_softmax", log_shares, behind(SMALL, keeps=False)),
    mapping("masked_cumsum", running(np.cumsum, 0), behind(SMALL, keeps=False)),
    mapping("masked_cumprod", running(np.cumprod, 1), behind(SMALL, keeps=False)),
)  # fmt: skip
"""Reductions of what a mask selects."""

# ---- of segments ---------------------------------------------------------------------------------


def in_segments(values: Array) -> Drawing:
    """Draw a tensor, and how many of its rows make up each segment, one of each at least."""

    def draw(d: Draw) -> Arguments:
        x = d.array(d.shape((4,), (3, 2), (4, 3), (2, 2, 2)), values)
        first = min(len(x), 1 + d.byte() % max(1, len(x) - 1))
        return Arguments((x,), (), {"lengths": np.array([first, len(x) - first])})

    return draw


def of_segments(reduce: Callable[..., Array]) -> Callable[..., Array]:
    """Reduce the rows of each segment."""

    def forward(x: Array, lengths: Sequence[int]) -> Array:
        ends = np.cumsum([0, *lengths])
        return np.stack([reduce(x[a:b], 0) for a, b in pairwise(ends)])

    return forward


def segmented(word: str, reduce: Callable[..., Array], draw: Drawing, **more: Any) -> Operation:
    """Make the record of a reduction of segments."""
    name = f"segment_reduce_{word}"

    def call(be: Any, x: Any, lengths: Array) -> Any:
        return getattr(be, name)(x, lengths=be.tensor(lengths))

    return Operation(name, of_segments(reduce), draw, call=call, **more)


SEGMENTS = (
    segmented("sum", np.sum, in_segments(SMALL), linear=True),
    segmented("mean", np.mean, in_segments(SMALL), linear=True),
    segmented("prod", np.prod, in_segments(SMALL)),
    segmented("max", largest, in_segments(SMALL), **ORDERED),
    segmented("min", smallest, in_segments(SMALL), **ORDERED),
)
"""Reductions of segments."""

# ---- without what is no number -------------------------------------------------------------------


def with_gaps(d: Draw) -> Arguments:
    """Draw a tensor, a share, an axis, and how many of its last entries are no numbers."""
    shape = d.shape((3,), (2, 3), (3, 2), (1, 4))
    q, axis, keep = d.pick(0.5, 0.25, 1.0), d.axis(shape), d.pick(False, True)
    named = {"keepdim": keep, "interpolation": d.pick("linear", "lower", "higher", "midpoint")}
    return Arguments((d.array(shape),), (q, axis, d.pick(1, 0, 2)), named)


def of_numbers(x: Array, q: float, dim: int, gaps: int, **named: Any) -> Array:
    """The entry below which a share of those lies that are numbers."""
    del gaps
    return middle(x, q, dim, **named)


def call_nanquantile(be: Any, x: Any, q: float, dim: int, gaps: int, **named: Any) -> Any:
    """Call it on a tensor beside what is no number."""
    shape = [*be.shape(x)]
    shape[dim] = gaps
    return be.nanquantile(be.cat([x, be.tensor(np.full(shape, np.nan))], dim), q, dim, **named)


SELECTIONS = (
    *MASKED,
    *SEGMENTS,
    Operation("nanquantile", of_numbers, with_gaps, call=call_nanquantile, **ORDERED),
)
"""All of them."""
