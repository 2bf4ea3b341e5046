"""Convolutions of one, two and three axes, by their options."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .drawing import SMALL, Array, Draw, Shape
from .operation import Operation
from .windows import Windows, sides, spread


def convolution(
    x: Array,
    weight: Array,
    bias: Array,
    stride: int | Shape,
    padding: Any,
    dilation: int | Shape,
    groups: int,
) -> Array:
    """Cross-correlate images with kernels (outputs, channels / groups, ...), and add a bias."""
    axes = weight.ndim - 2
    sizes = weight.shape[2:]
    if padding == "same":
        gaps = spread(dilation, axes)
        total = [g * (k - 1) for g, k in zip(gaps, sizes, strict=True)]
        around = [(n // 2, n - n // 2) for n in total]
    else:
        around = sides(0 if padding == "valid" else padding, axes)
    at = Windows(x.shape[2:], sizes, stride, around, dilation)
    cut = at.of(x).reshape((x.shape[0], groups, -1, math.prod(at.out), math.prod(sizes)))
    kernels = weight.reshape((groups, -1, weight.shape[1], math.prod(sizes)))
    out = np.einsum("ngcpk,gock->ngop", cut, kernels).reshape((x.shape[0], -1, *at.out))
    result: Array = out + bias.reshape((-1, *(1,) * axes))
    return result


def grouped(*shapes: tuple[Shape, Shape, int]) -> Drawing:
    """Draw images, kernels, biases, and options that fit."""

    def draw(d: Draw) -> Arguments:
        x, weight, groups = d.sized(*shapes)
        stride, padding, dilation = d.pick(
            (1, 1, 2),
            (2, 1, 1),
            (1, "same", 2),
            (1, "same", 1),
            (2, 1, 2),
            (1, "valid", 1),
            (2, 0, 1),
        )
        tensors = (d.array(s, SMALL) for s in (x, weight, weight[:1]))
        return Arguments((*tensors,), (stride, padding, dilation, groups))

    return draw


def transposed(
    x: Array,
    weight: Array,
    bias: Array,
    stride: int | Shape,
    padding: int | Shape,
    output_padding: int | Shape,
    groups: int,
    dilation: int | Shape,
) -> Array:
    """The adjoint of convolution in its images, and a bias."""
    axes = weight.ndim - 2
    sizes = weight.shape[2:]
    strides, gaps = spread(stride, axes), spread(dilation, axes)
    whole = [
        s * (n - 1) + g * (k - 1) + 1 + more
        for n, k, s, g, more in zip(
            x.shape[2:], sizes, strides, gaps, spread(output_padding, axes), strict=True
        )
    ]
    n, per = x.shape[0], weight.shape[1]
    made = np.zeros_like(x, shape=(n, groups * per, *whole))
    parts = x.reshape((n, groups, -1, math.prod(x.shape[2:])))
    kernels = weight.reshape((groups, -1, per, *sizes))
    for tap in product(*map(range, sizes)):
        place = tuple(
            slice(g * k, g * k + s * (m - 1) + 1, s)
            for k, s, g, m in zip(tap, strides, gaps, x.shape[2:], strict=True)
        )
        one: Any = (slice(None), slice(None), slice(None), *tap)
        own = kernels[one]
        term = np.einsum("ngcp,gco->ngop", parts, own).reshape((n, groups * per, *x.shape[2:]))
        key: Any = (slice(None), slice(None), *place)
        made[key] = made[key] + term
    kept = tuple(slice(p, m - p) for p, m in zip(spread(padding, axes), whole, strict=True))
    return made[(slice(None), slice(None), *kept)] + bias.reshape((-1, *(1,) * axes))


def widened(*shapes: tuple[Shape, Shape, int]) -> Drawing:
    """Draw images, kernels, biases, and options that fit."""

    def draw(d: Draw) -> Arguments:
        x, weight, groups = d.sized(*shapes)
        tensors = (d.array(s, SMALL) for s in (x, weight, (weight[1] * groups,)))
        stride = d.pick(2, 1)
        more = d.pick(0, 1) if stride > 1 else 0
        padding = d.pick(0, 1) if all(n > 1 for n in (*x[2:], *weight[2:])) else 0
        return Arguments((*tensors,), (stride, padding, more, groups, d.pick(1, 2)))

    return draw


def record(name: str, forward: Callable[..., Array], draw: Drawing) -> Operation:
    """Make the record of a convolution."""
    return Operation(name, forward, draw)


CONVOLUTIONS = (
    record("conv1d_grouped", convolution, grouped(
        ((1, 2, 4), (2, 1, 2), 2), ((2, 1, 3), (2, 1, 2), 1), ((1, 4, 3), (2, 2, 1), 2))),
    record("conv2d_grouped", convolution, grouped(
        ((1, 2, 3, 2), (2, 1, 2, 1), 2), ((1, 1, 3, 3), (2, 1, 2, 2), 1),
        ((1, 4, 2, 1), (2, 2, 1, 1), 2))),
    record("conv3d", convolution, grouped(
        ((1, 1, 2, 3, 2), (1, 1, 2, 1, 2), 1), ((1, 2, 2, 1, 2), (2, 1, 1, 1, 2), 2))),
    record("conv_transpose1d", transposed, widened(
        ((1, 2, 3), (2, 1, 2), 2), ((2, 1, 2), (1, 2, 2), 1))),
    record("conv_transpose2d_grouped", transposed, widened(
        ((1, 2, 2, 2), (2, 1, 2, 2), 2), ((1, 1, 2, 3), (1, 2, 2, 1), 1))),
    record("conv_transpose3d", transposed, widened(
        ((1, 1, 2, 1, 2), (1, 1, 1, 2, 2), 1), ((1, 2, 1, 2, 1), (2, 1, 2, 1, 1), 2))),
)  # fmt: skip
"""Convolutions with gaps, in groups, with a bias, and with any padding."""
