"""Windows and images of MLX, under gradspec's names: images have channels first.

A pool of MLX takes a size, a stride and a padding. What is asked for beyond that is put together of
what it has: windows with gaps and those that end beyond an axis are laid out side by side, and sums
of windows are divided by how much was counted. The nearest entry is another one in MLX, which lies
half a pixel away, and it is left out.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlx import core as mx
from mlx import nn

from .mlx_layers import last, on_channels
from .windows import Sizes, beyond, spread, taken


def padded(weight: mx.array, padding: Any, dilation: Any) -> Any:
    """Tell a convolution how much lies around, where it is told by a word."""
    axes = weight.ndim - 2
    if padding == "valid":
        return 0
    if padding == "same":
        gaps = (dilation,) * axes if isinstance(dilation, int) else dilation
        total = [gap * (n - 1) for gap, n in zip(gaps, weight.shape[2:], strict=True)]
        return [n // 2 for n in total], [n - n // 2 for n in total]
    return padding


def sized(sizes: Any) -> Any:
    """Let a tuple of one number be that number."""
    return sizes[0] if isinstance(sizes, tuple) and len(sizes) == 1 else sizes


LARGEST = 5
"""The axes of kernels for which MLX knows no groups."""


def in_groups(
    convolve: Callable[..., mx.array],
    x: mx.array,
    weight: mx.array,
    bias: mx.array | None,
    groups: int,
    *options: Any,
) -> mx.array:
    """Convolve the channels of each group by its kernels, and add a bias to each channel."""
    parts = zip(mx.split(x, groups, axis=-4), mx.split(weight, groups, axis=0), strict=True)
    made = mx.concatenate([convolve(*part, None, *options) for part in parts], axis=-4)
    return made if bias is None else made + bias.reshape((-1, 1, 1, 1))


def convolution(
    x: mx.array,
    weight: mx.array,
    bias: mx.array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> mx.array:
    """Convolve images or one image with channels first."""
    if groups > 1 and weight.ndim == LARGEST:
        return in_groups(convolution, x, weight, bias, groups, stride, padding, dilation)
    alone = x.ndim < weight.ndim
    around = padded(weight, padding, dilation)
    images, kernels = last(x[None] if alone else x), last(weight)
    if isinstance(around, tuple) and around and isinstance(around[0], list):
        made = mx.conv_general(images, kernels, stride, around, dilation, 1, groups)
    else:
        function = getattr(mx, f"conv{weight.ndim - 2}d")
        made = function(images, kernels, sized(stride), sized(around), sized(dilation), groups)
    made = mx.moveaxis(made if bias is None else made + bias, -1, 1)
    return made[0] if alone else made


def spread_out(
    x: mx.array,
    weight: mx.array,
    bias: mx.array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> mx.array:
    """Transpose a convolution of images or of one image with channels first."""
    if groups > 1 and weight.ndim == LARGEST:
        options = stride, padding, output_padding, 1, dilation
        return in_groups(spread_out, x, weight, bias, groups, *options)
    alone = x.ndim < weight.ndim
    # From inputs by outputs of a group to outputs of all groups by inputs of one.
    each = [mx.swapaxes(part, 0, 1) for part in mx.split(weight, groups, axis=0)]
    kernels = mx.moveaxis(mx.concatenate(each, axis=0), 1, -1)
    function = getattr(mx, f"conv_transpose{weight.ndim - 2}d")
    made = function(
        last(x[None] if alone else x), kernels, sized(stride), sized(padding), sized(dilation),
        sized(output_padding), groups,
    )  # fmt: skip
    made = mx.moveaxis(made if bias is None else made + bias, -1, 1)
    return made[0] if alone else made


def on_images(layer: Callable[[mx.array], mx.array], x: mx.array, axes: int) -> mx.array:
    """Let a layer read images or one image with channels first."""
    return on_channels(layer, x[None])[0] if x.ndim == axes + 1 else on_channels(layer, x)


def max_pool(axes: int) -> Callable[..., mx.array]:
    """Reduce windows to their largest entries."""
    kind = getattr(nn, f"MaxPool{axes}d")

    def pool(
        x: mx.array,
        size: Sizes,
        *,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
    ) -> mx.array:
        sizes, around, gaps = (spread(each, axes) for each in (size, padding, dilation))
        steps = spread(size if stride is None else stride, axes)
        if not ceil_mode and max(gaps) == 1:
            return on_images(kind(sizes, steps, around), x, axes)
        apart = []
        for axis, *window in zip(range(-axes, 0), sizes, steps, around, gaps, strict=True):
            places, step = taken(x.shape[axis], *window, ceil=ceil_mode)
            apart.append(step)
            x = mx.take(x, mx.array(places), axis=axis)
        return on_images(kind(sizes, tuple(apart)), x, axes)

    return pool


def avg_pool(axes: int) -> Callable[..., mx.array]:
    """Reduce windows to their means, or to their sums divided by another number."""
    kind = getattr(nn, f"AvgPool{axes}d")

    def pool(
        x: mx.array,
        size: Sizes,
        *,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> mx.array:
        sizes, around = spread(size, axes), spread(padding, axes)
        steps = spread(size if stride is None else stride, axes)
        over = [
            beyond(n, k, step, before, ceil=ceil_mode)
            for n, k, step, before in zip(x.shape[-axes:], sizes, steps, around, strict=True)
        ]
        # What lies around is asked of the pool itself, and what lies beyond is put there.
        wide = mx.pad(x, [*[(0, 0)] * (x.ndim - axes), *((0, n) for n in over)]) if any(over) else x
        mean = on_images(kind(sizes, steps, around), wide, axes)
        if divisor_override:
            return mean * (math.prod(sizes) / divisor_override)
        if count_include_pad and not any(over):
            return mean
        ones = mx.ones(x.shape[-axes:], x.dtype)
        if count_include_pad:
            ones = mx.pad(ones, [(n, n) for n in around], constant_values=1)
            around = (0,) * axes
        ones = mx.pad(ones, [(0, n) for n in over])
        share = on_images(kind(sizes, steps, around), ones[None, None], axes)
        return mean / share[0, 0]

    return pool


def resized(word: str, **always: bool) -> Callable[..., mx.array]:
    """Resize by how much larger an axis becomes."""

    def resize(
        x: mx.array,
        sizes: Sequence[int],
        *,
        mode: str,
        align_corners: bool | None = None,
        antialias: bool = False,
    ) -> mx.array:
        del mode
        scale = tuple(n / old for n, old in zip(sizes, x.shape[2:], strict=True))
        known = {"antialias": antialias, **always}
        return on_channels(nn.Upsample(scale, word, bool(align_corners), **known), x)

    return resize


WINDOWS: Mapping[str, Callable[..., Any]] = {
    **{f"conv{n}d_options": convolution for n in (1, 2, 3)},
    **{f"conv_transpose{n}d_options": spread_out for n in (1, 2, 3)},
    "conv3d": convolution,
    **{f"conv{n}d_axes": convolution for n in (2, 3)},
    **{f"conv{n}d_grouped": convolution for n in (1, 2)},
    "conv1d_single": convolution,
    **{f"conv_transpose{n}d": spread_out for n in (1, 3)},
    "conv_transpose1d_single": spread_out,
    "conv_transpose2d_grouped": spread_out,
    "max_pool1d": max_pool(1),
    **{f"max_pool2d{form}": max_pool(2) for form in ("", "_axes", "_padded")},
    "max_pool3d": max_pool(3),
    "avg_pool1d": avg_pool(1),
    **{f"avg_pool2d{form}": avg_pool(2) for form in ("", "_axes", "_padded")},
    "avg_pool3d": avg_pool(3),
    **{f"avg_pool{n}d_options": avg_pool(n) for n in (1, 2, 3)},
    "interpolate_linear": resized("linear"),
    "interpolate_bilinear": resized("linear"),
    "interpolate_trilinear": resized("linear"),
    "interpolate_bicubic": resized("cubic"),
    "interpolate_antialiased": resized("linear", antialias=True),
    "interpolate_antialiased_cubic": resized("cubic", antialias=True),
}
"""All of them."""
