"""Differences, areas and slopes, and how much goes together, by all options at once."""

from typing import Any

import numpy as np

from .arguments import Arguments
from .drawing import UNIT, Array, Draw
from .operation import Operation
from .optional import calling, given, plain
from .reducing import correlation, differences
from .reducing_forms import weighted_covariance
from .reducing_options import known


def between_ends(d: Draw) -> Arguments:
    """Draw a tensor, what may stand before and after it, how often differences are taken, where."""
    shape = d.shape((2, 3), (4,), (3, 2), (2, 2, 3), many=0)
    axis = d.axis(shape)
    sides = d.pick("", "prepend", "append", "prepend append").split()
    ends = []
    for _ in sides:
        own = [*shape]
        own[axis] = d.pick(1, 2)
        ends.append(d.array(tuple(own)))
    count = shape[axis] + sum(each.shape[axis] for each in ends)
    some = (None, 2, 3, 1) if sides else (None, 2, 0, 3)
    n = d.pick(*(each for each in some if (1 if each is None else each) < count))
    return Arguments((d.array(shape), *ends), (), {"n": n, "dim": axis, "sides": tuple(sides)})


def differing(x: Array, *ends: Array, n: int | None, dim: int, sides: tuple[str, ...]) -> Array:
    """Differences of a tensor between its ends."""
    low = [ends[0]] if sides[:1] == ("prepend",) else []
    high = [ends[-1]] if sides[-1:] == ("append",) else []
    return differences(np.concatenate([*low, x, *high], dim), 1 if n is None else n, dim)


def call_diff(be: Any, x: Any, *ends: Any, n: int | None, dim: int, sides: tuple[str, ...]) -> Any:
    """Call it with the ends that there are."""
    return be.diff_options(x, **given(n=n, dim=dim, **dict(zip(sides, ends, strict=True))))


def under_lines(d: Draw) -> Arguments:
    """Draw heights, and the places above which they stand, or a step, or nothing."""
    shape = d.shape((2, 3), (4,), (3, 2), (2, 2, 3), many=0)
    dim = d.pick(None, *range(-len(shape), len(shape)))
    axis = -1 if dim is None else dim
    own = d.pick((), (shape,), ((shape[axis],),))
    dx = d.pick(None, 0.5, 2.0) if not own else None
    return Arguments(tuple(d.array(each) for each in (shape, *own)), (), {"dx": dx, "dim": dim})


def areas(y: Array, *x: Array, dx: float | None, dim: int | None) -> Array:
    """The areas between neighbours, under straight lines, along the last axis."""
    axis = -1 if dim is None else dim
    heights = np.moveaxis(y, axis, -1)
    step: Any = 1.0 if dx is None else dx
    if x:
        at = np.moveaxis(x[0], axis if x[0].ndim == y.ndim else 0, -1)
        step = at[..., 1:] - at[..., :-1]
    made: Array = (heights[..., 1:] + heights[..., :-1]) / 2 * step
    return made


def areas_so_far(y: Array, *x: Array, dx: float | None, dim: int | None) -> Array:
    """Running sums of them."""
    made = np.cumsum(areas(y, *x, dx=dx, dim=dim), axis=-1)
    return np.moveaxis(made, -1, -1 if dim is None else dim)


def sloping(d: Draw) -> Arguments:
    """Draw a tensor, perhaps some axes, distances or places along them, and what ends are."""
    shape = d.shape((3, 4), (4,), (3, 3), (3, 2, 3), many=0)
    rank = len(shape)
    dim = d.pick(None, 0, -1, (0,), (-1, 0)[-rank:])
    axes = known(np.zeros(shape), dim)
    order = d.pick(None, 2, 1) if all(shape[a] > 2 for a in axes) else d.pick(None, 1)
    kind = d.pick("none", "number", "steps", "places")
    spacing: Any = None
    if kind == "number":
        spacing = d.pick(0.5, 2.0)
    elif kind == "steps":
        spacing = tuple((0.5, 2.0, 4.0)[: len(axes)])
    elif kind == "places":
        spacing = tuple(np.array([0.0, 1.0, 1.5, 3.5])[: shape[a]] for a in axes)
    return Arguments((d.array(shape),), (), {"spacing": spacing, "dim": dim, "edge_order": order})


def slopes(x: Array, spacing: Any, dim: Any, edge_order: int | None) -> list[Array]:
    """Slopes along axes: of the parabola through three places, at the ends of that or of a line.

    Source: Fornberg, 1988, table 4 of unequal steps.
    """
    axes, made = known(x, dim), []
    for place, axis in enumerate(axes):
        ahead = np.moveaxis(x, axis, 0)
        step = 1.0 if spacing is None else spacing[place] if isinstance(spacing, tuple) else spacing
        at = step if np.ndim(step) else np.arange(len(ahead)) * step
        h = np.diff(at).reshape((-1, *(1,) * (x.ndim - 1)))
        rises = (ahead[1:] - ahead[:-1]) / h
        a, b = h[:-1], h[1:]
        bends = (rises[1:] - rises[:-1]) / (a + b)
        inside = rises[:-1] + a * bends
        low, high = rises[:1], rises[-1:]
        if edge_order == 2:
            low, high = low - h[:1] * bends[:1], high + h[-1:] * bends[-1:]
        made.append(np.moveaxis(np.concatenate([low, inside, high]), 0, axis))
    return made


def call_slopes(be: Any, x: Any, spacing: Any, **named: Any) -> Any:
    """Call it with places that are constants."""
    if isinstance(spacing, tuple):
        spacing = tuple(be.tensor(each) if np.ndim(each) else each for each in spacing)
    return [*be.gradient_options(x, **given(spacing=spacing, **named))]


def weighted(d: Draw) -> Arguments:
    """Draw rows or one, and perhaps how often each column stands there and how much it counts."""
    shape = d.shape((2, 4), (3, 4), (4,), (1, 4), many=0)
    named = {"correction": d.pick(None, 0, 2, 1),
             "fweights": d.pick(None, np.array([1, 2, 1, 3])),
             "aweights": d.pick(None, np.array([1.0, 0.5, 2.0, 1.5]))}  # fmt: skip
    return Arguments((d.array(shape),), (), named)


def together(
    x: Array, correction: int | None, fweights: Array | None, aweights: Array | None
) -> Array:
    """The covariances of rows, whose columns may have weights."""
    rows = x[None] if x.ndim == 1 else x
    ones = np.ones(rows.shape[1])
    return weighted_covariance(rows, 1 if correction is None else correction,
                               ones if fweights is None else fweights,
                               ones if aweights is None else aweights)  # fmt: skip


def call_cov(be: Any, x: Any, correction: int | None, **weights: Any) -> Any:
    """Call it with weights that are constants."""
    tensors = {word: be.tensor(each) for word, each in weights.items() if each is not None}
    return be.cov_options(x, **given(correction=correction), **tensors)


def off_lines(d: Draw) -> Arguments:
    """Draw rows that are not as points on a line: there the correlation is clipped."""
    n, m = d.shape((2, 4), (3, 4), (4, 5), many=0)
    return Arguments((d.array((n, m), UNIT / 4) + np.eye(n, m) + np.eye(n, m, 1) / 2,))


DIFFERENCE_OPTIONS = (
    Operation("diff_options", differing, between_ends, linear=True, call=call_diff),
    Operation("trapezoid_options", lambda *y, **named: areas(*y, **named).sum(-1), under_lines,
              call=calling("trapezoid_options")),
    Operation("cumulative_trapezoid_options", areas_so_far, under_lines,
              call=calling("cumulative_trapezoid_options")),
    Operation("gradient_options", slopes, sloping, linear=True, call=call_slopes),
    Operation("cov_options", together, weighted, call=call_cov),
    plain("corrcoef_options", correlation, off_lines),
)  # fmt: skip
"""What is computed of neighbours, and of rows together."""
