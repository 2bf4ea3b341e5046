"""Windows and images of JAX, under gradspec's names.

`lax.reduce_window` reduces windows by any function, and `jax.image` resizes by any kernel: they are
asked for what PyTorch has names for.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax import Array, lax
from jax import numpy as jnp

from .windows import Sizes, beyond, spread

Pairs = list[tuple[int, int]]


def over_windows(
    x: Array,
    sizes: tuple[int, ...],
    stride: Sizes | None,
    padding: Sizes,
    dilation: Sizes,
    ceil_mode: bool,  # noqa: FBT001
) -> tuple[Callable[[Array, Pairs, float, Any], Array], Pairs, Pairs]:
    """Return what reduces windows over the last axes, and how much lies around, and beyond that."""
    axes = len(sizes)
    ones = (1,) * (x.ndim - axes)
    strides, gaps = spread(stride or sizes, axes), spread(dilation, axes)
    around = spread(padding, axes)
    reach = [(size - 1) * gap + 1 for size, gap in zip(sizes, gaps, strict=True)]
    over = [
        beyond(n, far, step, before, ceil=ceil_mode)
        for n, far, step, before in zip(x.shape[-axes:], reach, strides, around, strict=True)
    ]
    lead: Pairs = [(0, 0)] * (x.ndim - axes)

    def reduced(x: Array, around: Pairs, start: float, reduce: Any) -> Array:
        result: Array = lax.reduce_window(
            x, start, reduce, (*ones, *sizes), (*ones, *strides), around,
            window_dilation=(*ones, *gaps),
        )  # fmt: skip
        return result

    return reduced, [*lead, *((n, n) for n in around)], [*lead, *((0, n) for n in over)]


def joined(pairs: Pairs, others: Pairs) -> Pairs:
    """Add sizes before, and sizes after."""
    return [(a + c, b + d) for (a, b), (c, d) in zip(pairs, others, strict=True)]


def max_pool(axes: int) -> Callable[..., Array]:
    """Reduce windows to their largest entries."""

    def pool(
        x: Array,
        size: Sizes,
        *,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        ceil_mode: bool = False,
    ) -> Array:
        reduced, around, beyond = over_windows(
            x, spread(size, axes), stride, padding, dilation, ceil_mode
        )
        return reduced(x, joined(around, beyond), -jnp.inf, lax.max)

    return pool


def avg_pool(axes: int) -> Callable[..., Array]:
    """Reduce windows to their sums, and divide these by how much was counted."""

    def pool(
        x: Array,
        size: Sizes,
        *,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Array:
        reduced, around, beyond = over_windows(x, spread(size, axes), stride, padding, 1, ceil_mode)
        total = reduced(x, joined(around, beyond), 0.0, lax.add)
        if divisor_override:
            return total / divisor_override
        counted = jnp.pad(jnp.ones_like(x), around, constant_values=int(count_include_pad))
        return total / reduced(counted, beyond, 0.0, lax.add)

    return pool


def patches(
    x: Array, size: Sizes, stride: Sizes = 1, padding: Sizes = 0, dilation: Sizes = 1
) -> Array:
    """Cut images into windows, and write each as a column."""
    alone = x.ndim == 3
    around = [(n, n) for n in spread(padding, 2)]
    cut: Array = lax.conv_general_dilated_patches(
        x[None] if alone else x, spread(size, 2), spread(stride, 2), around,
        rhs_dilation=spread(dilation, 2),
    )  # fmt: skip
    made = cut.reshape((*cut.shape[:2], -1))
    return made[0] if alone else made


def convolution_by_axes(
    x: Array, weight: Array, bias: None, stride: Any, padding: Any, dilation: Any
) -> Array:
    """Let `conv_general_dilated` take an image without an axis for samples."""
    if bias is not None:
        raise NotImplementedError
    alone = x.ndim < weight.ndim
    made: Array = lax.conv_general_dilated(
        x[None] if alone else x, weight, stride, [(n, n) for n in padding], rhs_dilation=dilation
    )
    return made[0] if alone else made


def resized(method: str, *, antialias: bool = False) -> Callable[..., Array]:
    """Resize the last axes, counted from half a pixel or from aligned ends."""

    def resize(
        x: Array,
        sizes: Sequence[int],
        *,
        mode: str,
        align_corners: bool | None = None,
        antialias: bool = antialias,
    ) -> Array:
        del mode
        lead = x.ndim - len(sizes)
        shape = (*x.shape[:lead], *sizes)
        if not align_corners:
            made: Array = jax.image.resize(x, shape, method, antialias=antialias)
            return made
        # What one entry is made of is the first one, by any step.
        steps = [(m - 1) / max(1, n - 1) for n, m in zip(x.shape[lead:], sizes, strict=True)]
        scale = jnp.array([step or 1.0 for step in steps], x.dtype)
        at = range(lead, x.ndim), scale, (1 - scale) / 2
        larger: Array = jax.image.scale_and_translate(x, shape, *at, method, antialias=antialias)
        return larger

    return resize


WINDOWS: Mapping[str, Callable[..., Any]] = {
    # A window with gaps has no gradient for its largest entry.
    "max_pool2d_axes": max_pool(2),
    "avg_pool2d_axes": avg_pool(2),
    "avg_pool2d_padded": avg_pool(2),
    "avg_pool3d": avg_pool(3),
    "unfold_patches": patches,
    "unfold_patches_axes": patches,
    "conv2d_axes": convolution_by_axes,
    "conv3d_axes": convolution_by_axes,
    "interpolate_linear": resized("linear"),
    "interpolate_bilinear": resized("linear"),
    "interpolate_trilinear": resized("linear"),
    "interpolate_antialiased": resized("linear", antialias=True),
    "interpolate_antialiased_thin": resized("linear", antialias=True),
    "interpolate_antialiased_cubic": resized("cubic", antialias=True),
    "interpolate_antialiased_lanczos": resized("lanczos3", antialias=True),
}
"""Functions of `jax.lax` and `jax.image` over windows and images."""
