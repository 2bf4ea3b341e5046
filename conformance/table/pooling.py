"""Pooling: the largest entries, means, norms; windows taken apart and put together."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .drawing import SMALL_POSITIVE, Array, Draw, Shape
from .operation import Operation
from .windows import Windows, sides, spread

POOLED: dict[int, tuple[Shape, ...]] = {
    1: ((1, 2, 4), (2, 1, 5), (1, 3)),
    2: ((1, 1, 4, 3), (1, 2, 2, 3), (2, 3, 2)),
    3: ((1, 1, 2, 3, 2), (1, 2, 2, 2)),
}
"""Images of one, two and three axes; the last ones are no batch."""


def pooled(axes: int, *, mean: bool) -> Drawing:
    """Draw images, and windows with strides, gaps or what lies around."""

    def draw(d: Draw) -> Arguments:
        x = d.array(d.shape(*POOLED[axes]))
        stride, padding, ceil = d.pick(
            (2, 0, True), (2, 1, False), (None, 0, True), (1, 1, False), (2, 1, True), (1, 0, False)
        )
        named: dict[str, Any] = {"stride": stride, "padding": padding, "ceil_mode": ceil}
        if mean:
            named["count_include_pad"] = d.pick(True, False)
            named |= {"divisor_override": d.pick(None, 3)} if axes > 1 else {}
        else:
            named["dilation"] = d.pick(1, 2) if padding and min(x.shape[-axes:]) > 2 else 1
        return Arguments((x,), (2,), named)

    return draw


def laid(x: Array, size: int | Shape, axes: int, **named: Any) -> Windows:
    """Lay windows over the last axes."""
    return Windows(
        x.shape[x.ndim - axes :], spread(size, axes), named["stride"] or size,
        sides(named["padding"], axes), named.get("dilation", 1), ceil=named["ceil_mode"],
    )  # fmt: skip


def largest(axes: int) -> Callable[..., Array]:
    """The largest entry of each window."""

    def forward(x: Array, size: int | Shape, **named: Any) -> Array:
        result: Array = np.max(laid(x, size, axes, **named).of(x, -math.inf), axis=-1)
        return result

    return forward


def mean(axes: int) -> Callable[..., Array]:
    """The mean of each window, with zeros around or without."""

    def forward(
        x: Array,
        size: int | Shape,
        count_include_pad: bool,  # noqa: FBT001
        divisor_override: int | None = None,
        **named: Any,
    ) -> Array:
        at = laid(x, size, axes, **named)
        count = (at.counted if count_include_pad else at.inside).sum(-1)
        result: Array = at.of(x).sum(-1) / (divisor_override or count)
        return result

    return forward


def bins(n: int, out: int) -> list[slice]:
    """Cut an axis into parts of about the same size, which may overlap."""
    return [slice(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def adaptive(axes: int, reduce: Callable[..., Array]) -> Callable[..., Array]:
    """Reduce to a number of entries on each axis."""

    def forward(x: Array, sizes: Shape) -> Array:
        lead = x.shape[: x.ndim - axes]
        cuts = [bins(n, out) for n, out in zip(x.shape[x.ndim - axes :], sizes, strict=True)]
        last = tuple(range(-axes, 0))
        keys: list[Any] = [(Ellipsis, *place) for place in product(*cuts)]
        cells = [reduce(x[key], last) for key in keys]
        return np.stack(cells, -1).reshape((*lead, *sizes))

    return forward


def resized(axes: int) -> Drawing:
    """Draw images, and sizes for them."""

    def draw(d: Draw) -> Arguments:
        x = d.array(d.shape(*POOLED[axes]))
        return Arguments((x,), (tuple(d.pick(2, 1, 3) for _ in range(axes)),))

    return draw


def powers(axes: int) -> Callable[..., Array]:
    """The norm of each window."""

    def forward(
        x: Array,
        p: float,
        size: int | Shape,
        stride: int | Shape | None,
        ceil_mode: bool,  # noqa: FBT001
    ) -> Array:
        cut = laid(x, size, axes, stride=stride, padding=0, ceil_mode=ceil_mode).of(x)
        if math.isinf(p):
            largest: Array = np.abs(cut).max(-1) if p > 0 else np.abs(cut).min(-1)
            return largest
        result: Array = np.power(np.power(cut, p).sum(-1), 1 / p)
        return result

    return forward


def positive(axes: int) -> Drawing:
    """Draw positive images, an order, and windows."""

    def draw(d: Draw) -> Arguments:
        x = d.array(d.shape(*POOLED[axes]), SMALL_POSITIVE)
        return Arguments((x,), (d.pick(2.0, 1.0, 3.0), 2, d.pick(None, 1)), {"ceil_mode": False})

    return draw


def put_back(axes: int) -> Callable[..., Array]:
    """Put entries back to where they were the largest, among zeros."""

    def forward(x: Array, index: Array, sizes: Shape) -> Array:
        lead = x.shape[: x.ndim - axes]
        made = np.zeros_like(x, shape=(*lead, math.prod(sizes)))
        flat = index.reshape((*lead, -1))
        np.put_along_axis(made, flat, x.reshape(flat.shape), -1)
        return made.reshape((*lead, *sizes))

    return forward


def unpooled(axes: int) -> Drawing:
    """Draw images, and other places for their entries."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*((1, 2, *(2,) * axes), (2, 1, *(1,) * axes), (1, *(2,) * axes)))
        sizes = tuple(2 * n for n in shape[-axes:])
        places = np.argsort(d.indices((*shape[:-axes], math.prod(sizes)), 256), -1, kind="stable")
        index = places[..., : math.prod(shape[-axes:])].reshape(shape)
        return Arguments((d.array(shape),), (index, sizes))

    return draw


def unpooling(axes: int) -> Operation:
    """Make the record for so many axes."""
    name = f"max_unpool{axes}d"
    return Operation(
        name, put_back(axes), unpooled(axes), linear=True,
        call=lambda be, x, index, sizes: getattr(be, name)(
            x, be.tensor(index), 2, output_size=sizes),
    )  # fmt: skip


def columns(x: Array, size: int | Shape, **named: Any) -> Array:
    """Cut images into windows, each of which becomes a column."""
    wanted = spread(size, 2)
    at = Windows(x.shape[-2:], wanted, named["stride"], sides(named["padding"], 2),
                 named["dilation"])  # fmt: skip
    cut = at.of(x)
    rows = np.moveaxis(cut.reshape((*x.shape[:-2], -1, math.prod(wanted))), -1, -2)
    return rows.reshape((*x.shape[:-3], -1, rows.shape[-1]))


def apart(d: Draw) -> Arguments:
    """Draw images, and windows."""
    x = d.array(d.shape((1, 2, 3, 3), (2, 1, 2, 3), (1, 2, 2)))
    return Arguments((x,), (2,), {"stride": d.pick(1, 2), "padding": d.pick(1, 0),
                                  "dilation": 1})  # fmt: skip


def folded(
    x: Array,
    sizes: Shape,
    size: int | Shape,
    stride: int | Shape,
    padding: int | Shape,
    dilation: int | Shape = 1,
) -> Array:
    """Add columns up to an image: the adjoint of cutting it."""
    wanted = spread(size, 2)
    at = Windows(sizes, wanted, stride, sides(padding, 2), dilation)
    lead = x.shape[:-2]
    channels = x.shape[-2] // math.prod(wanted)
    rows = np.moveaxis(x.reshape((*lead, channels, math.prod(wanted), -1)), -2, -1)
    made = np.zeros_like(x, shape=(*lead, channels, math.prod(sizes)))
    flat = rows.reshape((*lead, channels, -1))
    kept = np.flatnonzero(at.inside.ravel())
    places: Any = (Ellipsis, at.places.ravel()[kept])
    np.add.at(made, places, flat[..., kept])
    return made.reshape((*lead, channels, *sizes))


def together(d: Draw) -> Arguments:
    """Draw columns, and how they lie in an image."""
    sizes, stride, padding, places = d.pick(
        ((2, 3), 1, 0, 2), ((4, 2), 2, 0, 2), ((2, 2), 2, 1, 4), ((3, 3), 1, 0, 4)
    )
    lead = d.pick((1,), (2,), ())
    return Arguments((d.array((*lead, 4, places)),), (sizes, 2),
                     {"stride": stride, "padding": padding})  # fmt: skip


def pooling(axes: int) -> tuple[Operation, ...]:
    """Make the records of images of so many axes."""
    form = "_padded" if axes == 2 else ""
    many: dict[str, Any] = {"kinks": "equal entries", "ties": True}
    return (
        Operation(f"max_pool{axes}d{form}", largest(axes), pooled(axes, mean=False), **many),
        Operation(f"avg_pool{axes}d{form}", mean(axes), pooled(axes, mean=True), linear=True),
        Operation(f"adaptive_max_pool{axes}d", adaptive(axes, np.max), resized(axes), **many),
        Operation(f"adaptive_avg_pool{axes}d", adaptive(axes, np.mean), resized(axes), linear=True,
                  view="maybe"),
        Operation(f"lp_pool{axes}d", powers(axes), positive(axes)),
        unpooling(axes),
    )  # fmt: skip


POOLING = (
    *pooling(1),
    *pooling(2),
    *pooling(3),
    Operation("unfold_patches", columns, apart, linear=True),
    Operation("fold", folded, together, linear=True),
)  # fmt: skip
"""What becomes of windows."""
