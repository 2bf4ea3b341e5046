"""Forms of PyTorch's functions by their rarer options, under gradspec's words."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch.nn import functional

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
}
"""All of them."""
