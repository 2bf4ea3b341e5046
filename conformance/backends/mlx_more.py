"""More of MLX, under gradspec's names: writing to places, calls by all options."""

from collections.abc import Callable, Mapping
from typing import Any

from mlx import core as mx
from mlx import nn

from .mlx_windows import WINDOWS
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

STILL_MORE: Mapping[str, Callable[..., Any]] = {
    **numpy_meeting(mx, nn, without=NOT_ALL.split()),
    **WRITING,
    **WINDOWS,
    "selu": nn.selu,
    "logcumsumexp_options": lambda x, dim: mx.logcumsumexp(x, axis=dim),
}
"""All of these."""
