"""Convolutions by all of their options at once."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .convolutions import convolution, transposed
from .drawing import SMALL, Array, Draw, Shape
from .operation import Operation
from .windows import spread

Options = dict[int, tuple[Any, ...]]

IMAGES: Options = {
    1: (((5,), (2,)), ((4,), (3,)), ((6,), (4,)), ((3,), (1,))),
    2: (((3, 4), (2, 1)), ((4, 3), (2, 2)), ((3, 3), (3, 3)), ((2, 5), (1, 3)), ((2, 2), (1, 1))),
    3: (((2, 3, 2), (1, 2, 2)), ((3, 1, 2), (2, 1, 1)), ((1, 2, 3), (1, 2, 3))),
}
"""Sizes of images and of kernels, by their number of axes."""

CHANNELS = ((1, 2, 2), (2, 1, 2), (3, 1, 1), (1, 1, 3), (3, 1, 2), (2, 2, 1))
"""Groups, and how many channels of an image and of the result each of them has."""

STRIDES: Options = {1: (1, 2, 3, (2,)), 2: (1, 2, (1, 3), (2, 1)), 3: (1, 2, (1, 2, 3), (2, 1, 1))}
PADDINGS: Options = {1: (0, 1, (2,), 3), 2: (0, 1, (0, 2), (2, 1)), 3: (0, 1, (0, 1, 2), (2, 0, 1))}
DILATIONS: Options = {
    1: (1, 2, 3, (2,)),
    2: (1, 2, (1, 3), (2, 1)),
    3: (1, 2, (1, 3, 2), (2, 1, 1)),
}


def convolved(x: Array, weight: Array, bias: Array | None = None, **named: Any) -> Array:
    """Cross-correlate images with kernels, where a batch may be missing, and a bias."""
    return single(convolution, x, weight, weight.shape[0], bias, **named)


def adjoint(x: Array, weight: Array, bias: Array | None = None, **named: Any) -> Array:
    """The adjoint of convolution in its images, where a batch may be missing, and a bias."""
    return single(transposed, x, weight, weight.shape[1] * named["groups"], bias, **named)


def single(
    forward: Any, x: Array, weight: Array, channels: int, bias: Array | None, **named: Any
) -> Array:
    """Let one image be a batch of one, and no bias one of zeros."""
    alone = x.ndim < weight.ndim
    added = np.zeros(channels) if bias is None else bias
    made: Array = forward(x[None] if alone else x, weight, added, **named)
    return made[0] if alone else made


def at_most(d: Draw, options: Sequence[Any], most: Sequence[float]) -> Any:
    """Choose an option, a number or one for each axis, that is not above what an axis allows."""
    within = (
        each
        for each in options
        if all(n <= m for n, m in zip(spread(each, len(most)), most, strict=True))
    )
    return d.pick(*within)


def widest(sizes: Shape, kernel: Sequence[int], padding: Any) -> list[float]:
    """How far the entries of a kernel may lie apart for it to fit."""
    around = zip(sizes, kernel, spread(padding, len(sizes)), strict=True)
    return [(n + 2 * p - 1) // (k - 1) if k > 1 else math.inf for n, k, p in around]


def convolve(axes: int) -> Drawing:
    """Draw images, kernels, perhaps biases, and all options."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        lead, (groups, inner, outer) = d.pick((1,), (), (2,)), d.pick(*CHANNELS)
        sizes, kernel = d.pick(*IMAGES[axes])
        padding = d.pick(*PADDINGS[axes], "same", "valid", "same")
        stride = 1 if padding == "same" else d.pick(*STRIDES[axes])
        around = {"same": max(sizes) * 2, "valid": 0}.get(str(padding), padding)
        dilation = at_most(d, DILATIONS[axes], widest(sizes, kernel, around))
        shapes = [(*lead, groups * inner, *sizes), (groups * outer, inner, *kernel)]
        named = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return with_bias(d, shapes, groups * outer, named)

    return draw


def spread_out(axes: int) -> Drawing:
    """Draw images, kernels, perhaps biases, and all options of the adjoint."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        lead, (groups, inner, outer) = d.pick((1,), (), (2,)), d.pick(*CHANNELS)
        sizes, kernel = (tuple(min(n, 3) for n in each) for each in d.pick(*IMAGES[axes])[::-1])
        stride, dilation = d.pick(*STRIDES[axes]), d.pick(*DILATIONS[axes])
        steps, gaps = np.array(spread(stride, axes)), np.array(spread(dilation, axes))
        more = at_most(d, (0, 1, 2, (*range(axes),)), np.maximum(steps, gaps) - 1)
        whole = steps * (np.array(sizes) - 1) + gaps * (np.array(kernel) - 1) + 1
        padding = at_most(d, PADDINGS[axes], (whole + spread(more, axes) - 1) // 2)
        shapes = [(*lead, groups * inner, *sizes), (groups * inner, outer, *kernel)]
        named = {"stride": stride, "padding": padding, "output_padding": more, "groups": groups,
                 "dilation": dilation}  # fmt: skip
        return with_bias(d, shapes, groups * outer, named)

    return draw


def with_bias(d: Draw, shapes: Sequence[Shape], channels: int, named: dict[str, Any]) -> Arguments:
    """Draw tensors of these shapes, and perhaps a bias."""
    given = [*shapes, *d.pick([(channels,)], [])]
    return Arguments(tuple(d.array(shape, SMALL) for shape in given), (), named)


CONVOLUTION_OPTIONS = (
    *(Operation(f"conv{n}d_options", convolved, convolve(n)) for n in (1, 2, 3)),
    *(Operation(f"conv_transpose{n}d_options", adjoint, spread_out(n)) for n in (1, 2, 3)),
)
"""Convolutions and their adjoints."""
