"""Windows over images by all of their options at once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .convolution_options import Options, at_most, widest
from .drawing import SMALL_POSITIVE, Array, Draw, Shape
from .operation import Operation
from .pooling import adaptive, columns, folded, laid, largest, mean, powers, put_back
from .windows import Windows, spread

FIELDS: Options = {
    1: ((1, 2, 5), (2, 1, 4), (1, 6)),
    2: ((1, 1, 4, 3), (2, 2, 5), (1, 2, 3, 4)),
    3: ((1, 1, 3, 2, 4), (1, 4, 2, 3), (2, 1, 2, 3, 3)),
}
"""Images, some of which are no batch."""

SIZES: Options = {
    1: (2, 3, (2,)),
    2: (2, (1, 2), (3, 1), (2, 3)),
    3: (2, (1, 2, 2), (2, 1, 3), (1, 2, 1)),
}
STRIDES: Options = {1: (None, 1, 2, 3), 2: (None, 1, (1, 2), (3, 1)), 3: (None, 1, 2, (1, 2, 3))}
PADDINGS: Options = {1: (0, 1, (1,)), 2: (0, 1, (1, 0), (0, 1)), 3: (0, 1, (0, 0, 1), (0, 1, 0))}
GAPS: Options = {1: (1, 2, 3), 2: (1, 2, (1, 2), (3, 1)), 3: (1, 2, (1, 1, 2), (1, 2, 1))}


def field(d: Draw, axes: int) -> Array:
    """Draw images, whose entries are perhaps all negative."""
    return d.array(d.pick(*FIELDS[axes])) - d.pick(0.0, 8.0)


def window(d: Draw, sizes: Shape, *, dilated: bool) -> tuple[Any, dict[str, Any]]:
    """Draw the size of windows that fit, and how they lie; each of them has an entry."""
    axes = len(sizes)
    size = at_most(d, SIZES[axes], sizes)
    kernel = spread(size, axes)
    padding = at_most(d, PADDINGS[axes], [k // 2 for k in kernel])
    named = {"stride": d.pick(*STRIDES[axes]), "padding": padding, "ceil_mode": d.pick(False, True)}
    if dilated:
        gap = at_most(d, GAPS[axes], widest(sizes, kernel, padding))
        at = laid(np.zeros(sizes), size, axes, **named, dilation=gap)
        named["dilation"] = gap if at.inside.any(-1).all() else 1
    return size, named


def maxima(axes: int) -> Drawing:
    """Draw images, windows, and whether the places of entries are asked for too."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        x = field(d, axes)
        size, named = window(d, x.shape[-axes:], dilated=True)
        return Arguments((x,), (size, d.pick(False, True)), named)

    return draw


def means(axes: int) -> Drawing:
    """Draw images, windows, and what their sums are divided by."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        x = field(d, axes)
        size, named = window(d, x.shape[-axes:], dilated=False)
        named |= {"count_include_pad": d.pick(True, False)}
        named |= {"divisor_override": d.pick(None, 3, 5)} if axes > 1 else {}
        return Arguments((x,), (size,), named)

    return draw


def roots(axes: int) -> Drawing:
    """Draw images, an order, and windows none of which reaches beyond the end."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        shape, p = d.pick(*FIELDS[axes]), d.pick(2.0, 1.0, 3.0, 1.5, math.inf)
        # No sum of entries is zero, where a root has no derivative; no two are equally large.
        apart = p in (1, 2, math.inf)
        x = d.distinct(shape) + 2.0**-9 if apart else d.array(shape, SMALL_POSITIVE)
        size, named = window(d, shape[-axes:], dilated=False)
        size, named["padding"] = size if axes > 1 else spread(size, 1)[0], 0
        # Of what reaches beyond the end PyTorch makes no root of a sum of powers.
        named["ceil_mode"] &= bool(laid(x, size, axes, **named).counted.all())
        return Arguments((x,), (p, size, named["stride"], named["ceil_mode"]))

    return draw


def twice(forward: Callable[..., Array]) -> Callable[..., list[Array]]:
    """The largest entries, and once more if their places are asked for: what stands there."""

    def both(x: Array, size: Any, places: bool, **named: Any) -> list[Array]:  # noqa: FBT001
        return [forward(x, size, **named)] * (2 if places else 1)

    return both


def adapted(axes: int, reduce: Callable[..., Array]) -> Callable[..., Array]:
    """Reduce to a number of entries on each axis, where None keeps an axis."""

    def forward(x: Array, sizes: Any) -> Array:
        return adaptive(axes, reduce)(x, whole(sizes, x.shape[-axes:]))

    return forward


def whole(sizes: Any, shape: Shape) -> Shape:
    """Say how many entries each axis is to have."""
    each = (sizes,) * len(shape) if sizes is None else spread(sizes, len(shape))
    return tuple(n or m for n, m in zip(each, shape, strict=True))


def targets(axes: int, *options: Any) -> Drawing:
    """Draw images, sizes for them, and one of some options if there are any."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        x = field(d, axes)
        each = d.pick(*{1: (2, 3, 7, (4,)), 2: (3, 2, (1, 3), (5, 2), (None, 2), (3, None)),
                        3: (2, 3, (1, 2, 5), (3, 1, 2), (None, 3, 1))}[axes])  # fmt: skip
        return Arguments((x,), (each, *([d.pick(*options)] if options else [])))

    return draw


def found(name: str, axes: int) -> Callable[..., Any]:
    """Call it, and return entries, and perhaps what stands at the places that it names."""

    def call(be: Any, x: Any, size: Any, places: bool, **named: Any) -> list[Any]:  # noqa: FBT001
        made = getattr(be, name)(x, size, return_indices=places, **named)
        if not places:
            return [made]
        entries, where = made
        lead = (*be.shape(x)[:-axes], -1)
        there = be.gather(be.reshape(x, lead), -1, be.reshape(where, lead))
        return [entries, be.reshape(there, be.shape(entries))]

    return call


SPANS: Options = {1: (2, 3, (2,)), 2: (2, 3, (2, 3), (3, 1)), 3: (2, 3, (2, 1, 3), (1, 2, 2))}
STEPS: Options = {1: (None, 2, 3, 1), 2: (None, 2, (2, 3), (3, 2)), 3: (None, 2, 3, (2, 3, 1))}


def put(axes: int) -> Callable[..., Array]:
    """Put entries back, into an image of a size that is given or of the smallest one."""

    def forward(x: Array, index: Array, sizes: Shape, *_: Any) -> Array:
        return put_back(axes)(x, index, sizes)

    return forward


def scattered(axes: int) -> Drawing:
    """Draw images, other places for their entries, windows, and whether the size is given."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        shape = d.pick((1, 2, *(2,) * axes), (1, 1, *(3, 2, 2)[:axes]), (2, *(2, 1, 3)[:axes]))
        size, stride = d.pick(*SPANS[axes]), d.pick(*STEPS[axes])
        kernel, steps = spread(size, axes), spread(size if stride is None else stride, axes)
        padding = at_most(d, (0, 1, (0, 1, 0)[-axes:]), [k // 2 for k in kernel])
        given = d.pick("no", "last", *["all"] * (len(shape) > axes + 1))
        sizes = np.array(steps) * (np.array(shape[-axes:]) - 1) + kernel
        sizes = sizes - 2 * np.array(spread(padding, axes))
        if sizes.prod() < math.prod(shape[-axes:]):
            padding, sizes = 0, sizes + 2 * np.array(spread(padding, axes))
        sizes = sizes + (np.array(steps) > 1) * (given != "no")
        places = np.argsort(d.indices((*shape[:-axes], sizes.prod()), 256), -1, kind="stable")
        index = places[..., : math.prod(shape[-axes:])].reshape(shape)
        whole = tuple(map(int, sizes))
        return Arguments((d.array(shape),), (index, whole, given, size, stride, padding))

    return draw


def unpooling(axes: int) -> Operation:
    """Make the record for so many axes."""
    name = f"max_unpool{axes}d_options"

    def call(be: Any, x: Any, index: Array, sizes: Shape, given: str, *rest: Any) -> Any:
        words = {"no": None, "last": sizes, "all": (*index.shape[:-axes], *sizes)}
        return getattr(be, name)(x, be.tensor(index), *rest, words[given])

    return Operation(name, put(axes), scattered(axes), call=call, linear=True)


def taken_apart(d: Draw) -> Arguments:
    """Draw images, and windows with all options."""
    d.go_on()
    shape = d.pick((1, 2, 4, 5), (2, 5, 4), (2, 1, 3, 4))
    return Arguments((d.array(shape),), (), cut(d, shape[-2:]))


def cut(d: Draw, sizes: Shape) -> dict[str, Any]:
    """Draw windows that fit."""
    size: Any = d.pick(2, (1, 2), 3, (2, 1))
    padding: Any = d.pick(0, 1, (0, 2), (1, 0))
    gap = at_most(d, (1, 2, (1, 2), (3, 1)), widest(sizes, spread(size, 2), padding))
    stride = d.pick(1, 2, (1, 3), (2, 1))
    return {"size": size, "stride": stride, "padding": padding, "dilation": gap}


def put_together(d: Draw) -> Arguments:
    """Draw columns, and how they lie in an image."""
    d.go_on()
    sizes = d.pick((4, 5), (5, 4), (3, 4))
    named = cut(d, sizes)
    padding, kernel = spread(named["padding"], 2), spread(named["size"], 2)
    at = Windows(sizes, kernel, named["stride"], [(p, p) for p in padding], named["dilation"])
    lead = d.pick((1,), (), (2,))
    shape = (*lead, d.pick(1, 2) * math.prod(kernel), math.prod(at.out))
    return Arguments((d.array(shape),), (sizes,), named)


def renamed(name: str) -> Callable[..., Any]:
    """Call what names the size of its windows otherwise."""
    return lambda be, x, *sizes, size, **named: getattr(be, name)(x, *sizes, size, **named)


def pooling(axes: int) -> tuple[Operation, ...]:
    """Make the records of images of so many axes."""
    many: dict[str, Any] = {"kinks": "equal entries", "ties": True}
    names = [f"{word}_pool{axes}d_options" for word in ("max", "adaptive_max", "avg")]
    return (
        Operation(names[0], twice(largest(axes)), maxima(axes), call=found(names[0], axes), **many),
        Operation(names[1], twice(adapted(axes, np.max)), targets(axes, False, True),
                  call=found(names[1], axes), **many),
        Operation(names[2], mean(axes), means(axes), linear=True),
        Operation(f"adaptive_avg_pool{axes}d_options", adapted(axes, np.mean), targets(axes),
                  linear=True),
        Operation(f"lp_pool{axes}d_options", powers(axes), roots(axes)),
        unpooling(axes),
    )  # fmt: skip


POOLING_OPTIONS = (
    *pooling(1),
    *pooling(2),
    *pooling(3),
    Operation("unfold_patches_options", columns, taken_apart, linear=True,
              call=renamed("unfold_patches_options")),
    Operation("fold_options", folded, put_together, linear=True, call=renamed("fold_options")),
)  # fmt: skip
"""Windows taken, put together and put back."""
