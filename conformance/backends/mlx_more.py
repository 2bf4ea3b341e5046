"""More of MLX, under gradspec's names: writing to places, windows, calls by all options."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlx import core as mx
from mlx import nn

from .mlx_layers import last, on_channels
from .numpy_meeting import numpy_meeting
from .numpy_names import key

NOT_ALL = """
matrix_power_options svdvals_options qr_options multi_dot_options corrcoef_options diagflat_options
nansum_options nanmean_options quantile_options trapezoid_options cov_options
rot90_options repeat_interleave_options cross_options vector_norm_options diff_options
matrix_norm_singular_options vecdot_options svd_options hfft_options ihfft_options cholesky_options
"""
"""What MLX lacks, or takes less for than is drawn."""

# ---- places --------------------------------------------------------------------------------------


def places(index: mx.array, dim: int) -> tuple[mx.array, ...]:
    """Index each axis by where an entry of `index` lies, and axis `dim` by what it is."""
    shape, axes = index.shape, index.ndim
    grid = [
        mx.arange(n).reshape([n if axis == a else 1 for a in range(axes)])
        for axis, n in enumerate(shape)
    ]
    if axes:
        grid[dim] = index
    return tuple(grid)


def written(x: mx.array, at: Any, values: Any) -> mx.array:
    """Write into a copy."""
    copy = mx.array(x)
    copy[at] = values
    return copy


def scattered(x: mx.array, dim: int, index: mx.array, src: Any) -> mx.array:
    """Write to places along an axis. What lies beyond the index is not for it."""
    near = src[tuple(map(slice, index.shape))] if isinstance(src, mx.array) else src
    return written(x, places(index, dim), near)


def put(
    x: mx.array,
    keys: tuple[Any, ...],
    values: mx.array,
    accumulate: bool = False,  # noqa: FBT001, FBT002
) -> mx.array:
    """Write to places, or add to them."""
    return x.at[keys].add(values) if accumulate else written(x, keys, values)


WRITING: Mapping[str, Callable[..., Any]] = {
    "index_add_options": lambda x, dim, index, src, alpha=1: x.at[key(dim, index)].add(alpha * src),
    "scatter": scattered,
    "scatter_add": lambda x, dim, index, src: x.at[places(index, dim)].add(src),
    "index_put": put,
    "masked_scatter": written,
    "slice_scatter": lambda x, src, dim, start, end, step: written(
        x, key(dim, slice(start, end, step)), src
    ),
    "narrow": lambda x, dim, start, length: mx.slice(
        x, mx.array([start]), [dim], [length if n == dim % x.ndim else size
                                      for n, size in enumerate(x.shape)]
    ),
}  # fmt: skip

# ---- windows -------------------------------------------------------------------------------------


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


def spread(
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
    alone = x.ndim < weight.ndim
    # From inputs by outputs of a group to outputs of all groups by inputs of one.
    parts = mx.split(weight, groups, axis=0)
    kernels = mx.moveaxis(
        mx.concatenate([mx.swapaxes(part, 0, 1) for part in parts], axis=0), 1, -1
    )
    function = getattr(mx, f"conv_transpose{weight.ndim - 2}d")
    made = function(
        last(x[None] if alone else x), kernels, sized(stride), sized(padding), sized(dilation),
        sized(output_padding), groups,
    )  # fmt: skip
    made = mx.moveaxis(made if bias is None else made + bias, -1, 1)
    return made[0] if alone else made


def pool(layer: Callable[[int], nn.Module]) -> Callable[..., mx.array]:
    """Pool images or one image with channels first."""

    def call(x: mx.array, size: int) -> mx.array:
        if x.ndim == 3:
            return on_channels(layer(size), x[None])[0]
        return on_channels(layer(size), x)

    return call


def resized(
    x: mx.array, sizes: Sequence[int], *, mode: str, align_corners: bool | None = None
) -> mx.array:
    """Resize by how much larger an axis becomes."""
    scale = tuple(n / old for n, old in zip(sizes, x.shape[2:], strict=True))
    word = "nearest" if mode == "nearest" else "linear"
    layer = nn.Upsample(scale, mode=word, align_corners=bool(align_corners))
    return on_channels(layer, x)


WINDOWS: Mapping[str, Callable[..., Any]] = {
    **{f"conv{n}d_options": convolution for n in (1, 2)},
    **{f"conv_transpose{n}d_options": spread for n in (1, 2)},
    "max_pool2d": pool(nn.MaxPool2d),
    "avg_pool2d": pool(nn.AvgPool2d),
    "interpolate_bilinear": resized,
}

STILL_MORE: Mapping[str, Callable[..., Any]] = {
    **numpy_meeting(mx, nn, without=NOT_ALL.split()),
    **WRITING,
    **WINDOWS,
    "selu": nn.selu,
    "logcumsumexp_options": lambda x, dim: mx.logcumsumexp(x, axis=dim),
}
"""All of these."""
