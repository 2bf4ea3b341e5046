"""Forms of PyTorch's functions by their rarer options, under gradspec's words."""

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from ..protocol.forms import (
    MATRICES_OPTIONED,
    MORE_OPTIONED,
    NETWORKS_OPTIONED,
    SPECTRA_OPTIONED,
)

LAYERS = {
    "hardtanh": "bounds",
    "leaky_relu": "slope",
    "prelu": "channels",
    "conv1d": "single",
    "conv_transpose1d": "single",
    "conv2d": "axes",
    "conv3d": "axes",
    "conv_transpose2d": "axes",
    "max_pool2d": "axes places",
    "avg_pool2d": "axes",
    "lp_pool1d": "ceil",
    "lp_pool2d": "axes",
    "max_unpool2d": "sized",
    "adaptive_avg_pool2d": "kept",
    "adaptive_max_pool2d": "kept",
    "fold": "axes",
    "interpolate": "scaled rescaled antialiased antialiased_thin antialiased_cubic "
    "antialiased_lanczos",
    "affine_grid": "aligned",
    "grid_sample": "volume",
    "layer_norm": "plain half",
    "batch_norm": "plain half",
    "group_norm": "plain half",
    "instance_norm": "given",
    "rms_norm": "plain",
    "cosine_similarity": "along eps",
    "embedding": "padded by_frequency shortened",
    "embedding_bag": "padded last empty by_frequency",
    "l1_loss": "weight",
    "gaussian_nll_loss": "eps",
    "ctc_loss": "row joined impossible",
    "triplet_margin_loss": "hinge",
    "scaled_dot_product_attention": "biased",
}
"""Functions of `torch.nn.functional`, and what their forms are called."""

PLACES = {
    "remainder": "number",
    "fmod": "number",
    "where": "numbers",
    "clamp": "tensors_wide tensors_wider",
    "lerp": "wide",
    "addcmul": "wide",
    "addcdiv": "wide",
    "gather": "part",
    "scatter": "part",
    "scatter_add": "part",
    "take_along_dim": "flat wide",
    "masked_select": "wide",
    "masked_fill": "wide",
    "masked_scatter": "wide",
    "index_put": "wide mask ends",
    "index_fill": "tensor",
    "repeat_interleave": "flat",
    "reshape": "rest",
    "flatten": "ends",
    "slice_scatter": "ends",
    "diagonal_scatter": "axes",
    "rot90": "plain",
    "triu": "far",
    "tril": "far",
    "addmm": "wide",
    "baddbmm": "wide",
    "matmul": "batches",
    "kron": "wide",
    "matrix_power": "far",
    "norm": "orders",
    "flip": "ends",
    "permute": "four",
}
"""Functions of `torch`, and what their forms are called."""

OPTIONS: Mapping[str, Callable[..., Any]] = {
    **{
        f"{name}_keepdim": getattr(torch, name)
        for name in ("prod", "max", "min", "median", "mode", "nanmedian")
    },
    "aminmax_all": torch.aminmax,
    "nansum_all": torch.nansum,
    "nanmean_all": torch.nanmean,
    "all_several": torch.all,
    "any_several": torch.any,
    "count_nonzero_several": torch.count_nonzero,
    "topk_unsorted": partial(torch.topk, sorted=False),
    "argsort_stable": partial(torch.argsort, stable=True),
    "var_all": torch.var,
    "std_all": torch.std,
    "var_unbiased": torch.var,
    "std_unbiased": torch.std,
    "var_mean_unbiased": torch.var_mean,
    "std_mean_unbiased": torch.std_mean,
    "quantile_all": torch.quantile,
    "cov_weighted": torch.cov,
    "diff_ends": torch.diff,
    "trapezoid_places": torch.trapezoid,
    "cumulative_trapezoid_places": torch.cumulative_trapezoid,
    "gradient_edges": partial(torch.gradient, edge_order=2),
    "gradient_several": torch.gradient,
    "isclose_within": torch.isclose,
    "searchsorted_rows": torch.searchsorted,
    "vector_norm_orders": torch.linalg.vector_norm,
    "cdist_orders": torch.cdist,
    **{
        f"{name}_nothing": getattr(torch, name)
        for name in ("addmm", "baddbmm", "addbmm", "addmv", "addr")
    },
    "cross_along": torch.linalg.cross,
    "linear_plain": functional.linear,
    "bilinear_bias": functional.bilinear,
    "cholesky_solve_upper": torch.cholesky_solve,
    "cholesky_inverse_upper": torch.cholesky_inverse,
    "lu_solve_sides": torch.linalg.lu_solve,
    "pinv_hermitian": torch.linalg.pinv,
    "pinv_cut": torch.linalg.pinv,
    "qr_wide": torch.linalg.qr,
    "qr_factor": partial(torch.linalg.qr, mode="r"),
    "qr_complete": partial(torch.linalg.qr, mode="complete"),
    "svd_thin": partial(torch.linalg.svd, full_matrices=False),
    "eigh_upper": torch.linalg.eigh,
    "eigvalsh_upper": torch.linalg.eigvalsh,
    "matrix_norm_along": torch.linalg.matrix_norm,
    "cond_order": torch.linalg.cond,
    "cond_singular": torch.linalg.cond,
    "lstsq_driver": torch.linalg.lstsq,
    "tensorinv_several": torch.linalg.tensorinv,
    "solve_vector": torch.linalg.solve,
    "matrix_norm_singular": torch.linalg.matrix_norm,
    "householder_product_few": torch.linalg.householder_product,
    "pinv_wide": torch.linalg.pinv,
    "lstsq_wide": torch.linalg.lstsq,
    "block_diag_mixed": torch.block_diag,
    "pad_reflect_corners": partial(functional.pad, mode="reflect"),
    "pad_replicate_corners": partial(functional.pad, mode="replicate"),
    **{
        f"{name}_{form}": getattr(functional, name)
        for name, forms in LAYERS.items()
        for form in forms.split()
    },
    **dict.fromkeys(("unfold_patches_axes", "unfold_patches_options"), functional.unfold),
    **{
        f"{name}_options": getattr(place, name)
        for place, names in (
            (functional, NETWORKS_OPTIONED),
            (torch.fft, SPECTRA_OPTIONED),
            (torch.linalg, MATRICES_OPTIONED),
            (torch, MORE_OPTIONED),
        )
        for name in names.split()
    },
    "matrix_norm_singular_options": torch.linalg.matrix_norm,
    "dist_count_options": torch.dist,
    "sort_stable_options": torch.sort,
    "unfold_axis_options": torch.Tensor.unfold,
    **{
        f"multi_head_attention_{form}": functional.multi_head_attention_forward
        for form in ("masked", "extended", "separate")
    },
    **{
        f"{name}_plain": getattr(torch, name) for name in ("gru_cell", "lstm_cell", "rnn_tanh_cell")
    },
    **{
        f"{name}_{form}": getattr(torch, name)
        for name, forms in PLACES.items()
        for form in forms.split()
    },
    "number_sub": operator.sub,
    "number_div": operator.truediv,
    "number_remainder": torch.remainder,
    "view_rest": torch.Tensor.view,
    "expand_rest": torch.Tensor.expand,
    "fftshift_all": torch.fft.fftshift,
    "ifftshift_all": torch.fft.ifftshift,
    "fftn_whole": torch.fft.fftn,
    "ifftn_whole": torch.fft.ifftn,
}
"""All of them."""
