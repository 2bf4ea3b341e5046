"""Forms of PaddlePaddle's functions by their rarer options, under gradspec's words.

What means something else there is left out: a row that is padded comes out of `embedding`
as zeros, instance_norm does not use the statistics that it is given, cosine_similarity bounds the
product of two lengths, and isclose finds whatever there is close to infinity.
"""

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import paddle
from paddle import Tensor, compat, fft, linalg
from paddle.nn import functional


def batched(function: Callable[..., Any], axes: int) -> Callable[..., Any]:
    """Hand a sample of so many axes on as a batch of one, without which PaddlePaddle refuses it."""

    def call(x: Tensor, *rest: Any, **named: Any) -> Any:
        if x.ndim > axes:
            return function(x, *rest, **named)
        made = function(x.unsqueeze(0), *rest, **named)
        return made.squeeze(0)

    return call


def mean_pool(pool: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Say whether what is around an image counts as PyTorch does."""

    def call(x: Tensor, size: Any, count_include_pad: bool = True, **named: Any) -> Tensor:  # noqa: FBT001, FBT002
        return pool(x, size, exclusive=not count_include_pad, **named)

    return call


def windows(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Take PyTorch's names of options."""

    def call(x: Tensor, *sizes: Any, stride: Any, padding: Any, dilation: Any = 1) -> Tensor:
        return function(x, *sizes, strides=stride, paddings=padding, dilations=dilation)

    return call


def put_back(function: Callable[..., Tensor], axes: int) -> Callable[..., Tensor]:
    """Hand places on in a batch as well, and say how large all axes become."""

    def call(x: Tensor, places: Tensor, *rest: Any, output_size: Any = ()) -> Tensor:
        single = x.ndim == axes
        if single:
            x, places = x.unsqueeze(0), places.unsqueeze(0)
        sizes = [*x.shape[:2], *output_size] if output_size else None
        made = function(x, places, *rest, output_size=sizes)
        return made.squeeze(0) if single else made

    return call


REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "prod_keepdim": paddle.prod,
    "max_keepdim": compat.max,
    "min_keepdim": compat.min,
    "median_keepdim": compat.median,
    "mode_keepdim": paddle.mode,
    "nanmedian_keepdim": compat.nanmedian,
    "nansum_all": paddle.nansum,
    "nanmean_all": paddle.nanmean,
    "all_several": paddle.all,
    "any_several": paddle.any,
    "count_nonzero_several": paddle.count_nonzero,
    "topk_unsorted": partial(paddle.topk, sorted=False),
    "argsort_stable": lambda x, dim, descending: paddle.argsort(x, dim, descending, stable=True),
    "var_all": lambda x, dim, correction, keepdim: paddle.var(
        x, dim, keepdim=keepdim, correction=correction
    ),
    "var_unbiased": paddle.var,
    "std_unbiased": paddle.std,
    "quantile_all": paddle.quantile,
    "cov_weighted": lambda x, correction, **weights: linalg.cov(
        x, ddof={1: True, 0: False}[correction], **weights
    ),
    "diff_ends": paddle.diff,
    "trapezoid_places": lambda y, x, dim: paddle.trapezoid(y, x, axis=dim),
    "cumulative_trapezoid_places": lambda y, x, dim: paddle.cumulative_trapezoid(y, x, axis=dim),
    "vector_norm_orders": linalg.vector_norm,
    "cdist_orders": paddle.cdist,
}
"""What reduces, orders and compares."""

MATRICES: Mapping[str, Callable[..., Any]] = {
    "addmm_nothing": paddle.addmm,
    "baddbmm_nothing": paddle.baddbmm,
    "linear_plain": compat.nn.functional.linear,
    "bilinear_bias": lambda x, y, weight, bias: functional.bilinear(
        x, y, weight, bias.unsqueeze(0)
    ),
    "cholesky_solve_upper": linalg.cholesky_solve,
    "pinv_hermitian": linalg.pinv,
    "pinv_cut": lambda x, *, rtol: linalg.pinv(x, rtol),
    "qr_factor": lambda x: (None, linalg.qr(x, mode="r")),
    "qr_complete": partial(linalg.qr, mode="complete"),
    "svd_thin": partial(linalg.svd, full_matrices=False),
    "eigh_upper": linalg.eigh,
    "eigvalsh_upper": linalg.eigvalsh,
    "matrix_norm_along": linalg.matrix_norm,
    "cond_order": linalg.cond,
    "cond_singular": linalg.cond,
    "lstsq_driver": linalg.lstsq,
    "solve_vector": linalg.solve,
}
"""Linear algebra."""

LAYERS: Mapping[str, Callable[..., Any]] = {
    "hardtanh_bounds": functional.hardtanh,
    "leaky_relu_slope": functional.leaky_relu,
    "prelu_channels": functional.prelu,
    "group_norm_plain": lambda x, groups, *, eps: functional.group_norm(x, groups, eps),
    "batch_norm_plain": lambda x, mean, variance, training, eps: functional.batch_norm(
        x, mean, variance, training=training, epsilon=eps
    ),
    "cosine_similarity_along": functional.cosine_similarity,
    "embedding_by_frequency": functional.embedding,
    "gaussian_nll_loss_eps": lambda x, y, variance, reduction, eps: functional.gaussian_nll_loss(
        x, y, variance, epsilon=eps, reduction=reduction
    ),
    "triplet_margin_loss_hinge": functional.triplet_margin_loss,
}
"""Layers and losses."""

IMAGES: Mapping[str, Callable[..., Any]] = {
    "conv2d_axes": batched(functional.conv2d, 3),
    "conv3d_axes": batched(functional.conv3d, 4),
    "conv_transpose2d_axes": lambda x, w, bias, stride, padding, more, groups, dilation: (
        functional.conv2d_transpose(x, w, bias, stride, padding, more, dilation, groups)
    ),
    **{f"avg_pool{n}d": batched(mean_pool(getattr(functional, f"avg_pool{n}d")), n + 1)
       for n in (1, 3)},
    "avg_pool2d_padded": batched(mean_pool(functional.avg_pool2d), 3),
    "avg_pool2d_axes": batched(mean_pool(functional.avg_pool2d), 3),
    **{f"adaptive_{kind}_pool{n}d": batched(getattr(functional, f"adaptive_{kind}_pool{n}d"), n + 1)
       for kind in ("avg", "max") for n in (1, 2, 3)},
    **{f"adaptive_{kind}_pool2d_kept": batched(getattr(functional, f"adaptive_{kind}_pool2d"), 3)
       for kind in ("avg", "max")},
    **{f"max_unpool{n}d": put_back(getattr(functional, f"max_unpool{n}d"), n + 1)
       for n in (1, 2, 3)},
    "max_unpool2d_sized": put_back(functional.max_unpool2d, 3),
    "lp_pool1d": batched(functional.lp_pool1d, 2),
    "lp_pool2d": batched(functional.lp_pool2d, 3),
    "lp_pool1d_ceil": batched(functional.lp_pool1d, 2),
    "lp_pool2d_axes": batched(functional.lp_pool2d, 3),
    "unfold_patches": batched(windows(functional.unfold), 3),
    "unfold_patches_axes": batched(windows(functional.unfold), 3),
    "fold": batched(windows(functional.fold), 2),
    "fold_axes": batched(windows(functional.fold), 2),
    "interpolate_scaled": functional.interpolate,
    "affine_grid_aligned": functional.affine_grid,
    "grid_sample_volume": functional.grid_sample,
}  # fmt: skip
"""Images."""

PLACES: Mapping[str, Callable[..., Any]] = {
    "number_sub": operator.sub,
    "number_div": operator.truediv,
    "number_remainder": operator.mod,
    "remainder_number": operator.mod,
    "where_numbers": paddle.where,
    "lerp_wide": paddle.lerp,
    "gather_part": paddle.gather,
    "scatter_part": paddle.scatter,
    "scatter_add_part": paddle.scatter_add,
    "take_along_dim_wide": paddle.take_along_dim,
    "masked_select_wide": paddle.masked_select,
    "masked_fill_wide": paddle.masked_fill,
    "masked_scatter_wide": paddle.masked_scatter,
    "index_put_wide": paddle.index_put,
    "index_put_mask": paddle.index_put,
    "index_fill_tensor": lambda x, dim, index, value: paddle.index_fill(x, index, dim, value),
    "repeat_interleave_flat": paddle.repeat_interleave,
    "reshape_rest": paddle.reshape,
    "view_rest": Tensor.view,
    "expand_rest": Tensor.expand,
    "flatten_ends": paddle.flatten,
    "fftshift_all": fft.fftshift,
    "ifftshift_all": fft.ifftshift,
    "fftn_whole": fft.fftn,
    "ifftn_whole": fft.ifftn,
    "diagonal_scatter_axes": paddle.diagonal_scatter,
    "rot90_plain": paddle.rot90,
    "triu_far": paddle.triu,
    "tril_far": paddle.tril,
}
"""What chooses, writes and moves."""

OPTIONS: Mapping[str, Callable[..., Any]] = {
    **REDUCTIONS, **MATRICES, **LAYERS, **IMAGES, **PLACES
}  # fmt: skip
"""All of them."""
