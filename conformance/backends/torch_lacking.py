"""Functions that PyTorch does not have in a dtype, on a device or in a release."""

from collections.abc import Mapping
from functools import cache

import torch

SMALL = ("float16", "bfloat16")
"""Dtypes of 16 bits."""

NOT_IN_16_BITS = """
det logdet inverse solve matrix_power cholesky svd eigvalsh fft ifft stft istft
affine_grid affine_grid_aligned cdist cdist_orders cholesky_inverse cholesky_inverse_upper
cholesky_solve cholesky_solve_upper cholesky_upper cond cond_order cond_singular
ctc_loss ctc_loss_row ctc_loss_joined ctc_loss_impossible eig eigh eigh_upper eigvals eigvalsh_upper
erfcx fft2 fftn fftn_whole hfft hfft2 hfftn householder_product i1 i1e
ifft2 ifftn ifftn_whole ihfft ihfft2 ihfftn
irfft irfft2 irfftn log_ndtr lstsq lstsq_driver lu lu_factor lu_solve lu_solve_sides
matrix_norm_singular nanquantile ndtri norm_nuclear norm_spectral pdist pinv pinv_cut pinv_hermitian
polar qr qr_complete qr_factor qr_wide quantile quantile_all rfft rfft2 rfftn slogdet
ormqr solve_left solve_triangular solve_vector svd_thin svdvals tensorinv tensorinv_several
tensorsolve vander zeta matrix_sqrth polar_factors
matrix_power_far pinv_wide lstsq_wide householder_product_few multivariate_normal_log_prob
multivariate_normal_covariance_log_prob
"""
"""Functions that need float32 at least, for some sizes or for a gradient.

Of float16 a device has Fourier transforms, of sizes that are powers of 2.
"""

NOT_THERE: Mapping[tuple[str, str], str] = {
    ("cpu", "float16"): "avg_pool3d lp_pool3d local_response_norm multi_margin_loss "
    "multilabel_margin_loss interpolate_antialiased interpolate_antialiased_thin "
    "interpolate_antialiased_cubic interpolate_antialiased_lanczos "
    "interpolate_options",
    ("cuda", "float16"): "igamma igammac angle",
    ("cpu", "bfloat16"): "avg_pool3d lp_pool3d local_response_norm multi_margin_loss "
    "multilabel_margin_loss interpolate_antialiased interpolate_antialiased_thin "
    "interpolate_antialiased_cubic interpolate_antialiased_lanczos "
    "interpolate_options complex",
    ("cuda", "bfloat16"): "igamma igammac angle complex embedding_bag",
}
"""More of them, by device, as the library's own tests of operations (OpInfo) have it."""

NOT_ON_CUDA = "lstsq_driver lstsq_wide lstsq_options interpolate_antialiased_lanczos"
"""Functions that only the host has: of drivers of `lstsq`, a device has the one that it takes."""


LATER = {"interpolate_antialiased_lanczos": "_upsample_lanczos2d_aa"}
"""Functions that PyTorch 2.11 has not, by the operators that compute them."""


def lacking(dtype: str, device: str) -> frozenset[str]:
    """Name the functions that are not there in a dtype on a device, with none of their options."""
    lost = NOT_ON_CUDA if device == "cuda" else ""
    if dtype in SMALL:
        lost += NOT_IN_16_BITS + NOT_THERE[device, dtype]
    earlier = [name for name, beneath in LATER.items() if not hasattr(torch.ops.aten, beneath)]
    if dtype in SMALL and not _adds_a_diagonal(dtype):
        earlier.append("trace")
    names = [*lost.split(), *earlier]
    return frozenset([*names, *(f"{name}_options" for name in names)])


@cache
def _adds_a_diagonal(dtype: str) -> bool:
    """Whether the host has `trace` in a dtype of 16 bits: PyTorch 2.11 has not."""
    try:
        torch.ones((1, 1), dtype=getattr(torch, dtype)).trace()
    except NotImplementedError:
        return False
    return True
