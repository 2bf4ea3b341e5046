"""More functions of Autograd, under gradspec's names."""

from collections.abc import Callable, Mapping
from typing import Any

from autograd import numpy as anp
from autograd.scipy import linalg, special, stats

from .names import named
from .numpy_forms import numpy_forms
from .numpy_options import numpy_options
from .scipy_densities import scipy_densities

SPECIAL = """
erfc erfinv logit polygamma digamma lgamma=gammaln mvlgamma=multigammaln igammac=gammaincc i1
"""
"""Functions of `autograd.scipy.special`, and their names where they differ from ours."""

DENSITIES = """
normal_log_prob student_t_log_prob gamma_standard_log_prob chi2_log_prob beta_log_prob
poisson_log_prob normal_cdf
"""
"""Densities of `autograd.scipy.stats`: those of vectors take one vector of parameters."""

OTHERWISE = "lstsq"
"""Functions of numpy that take less than ours: no batch."""

WITHOUT = """
clamp_tensors_wide clamp_tensors_wider cond_order cond_singular cov_weighted cumprod_options
diagonal_options diff_ends eigvalsh_upper
fmod_number gradient_edges gradient_several nanmean_all nanquantile nansum_all pinv_cut
pinv_hermitian
prod_options qr_complete qr_factor qr_wide quantile_all roll_options take_along_dim_wide
tensorinv_several trapezoid_places vector_norm_orders
"""
"""Forms of functions that have no gradient, be it at all or with these options."""


def widths(x: Any, sizes: Any) -> list[tuple[int, int]]:
    """Turn sizes before and after, the last axis first, into pairs, the first axis first."""
    pairs = [(sizes[n], sizes[n + 1]) for n in range(0, len(sizes), 2)]
    return [(0, 0)] * (anp.ndim(x) - len(pairs)) + pairs[::-1]


FORMS: Mapping[str, Callable[..., Any]] = {
    "clone": anp.copy,
    "complex": lambda re, im: re + 1j * im,
    "row_stack": anp.row_stack,
    "svd": lambda x: anp.linalg.svd(x, full_matrices=False),
    "unbind": lambda x, dim=0: anp.unstack(x, axis=dim),
    "pad": lambda x, sizes: anp.pad(x, widths(x, sizes), "constant"),
    "ndtr": stats.norm.cdf,
    "log_ndtr": stats.norm.logcdf,
    "block_diag": linalg.block_diag,
    "matrix_sqrth": linalg.sqrtm,
    "matrix_exp": linalg.expm,
    "matrix_exp_scaled": linalg.expm,
    "lu": linalg.lu,
    "lu_factor": linalg.lu_factor,
    "lu_solve": lambda b, factors, exchanges: linalg.lu_solve((factors, exchanges), b),
    "cholesky_solve": lambda b, lower: linalg.cho_solve((lower, True), b),
    "logsumexp_several": lambda x, dim, keepdim=False: special.logsumexp(
        x, axis=dim, keepdims=keepdim
    ),
}
"""Functions of numpy and scipy that have a name of their own here."""


MORE: Mapping[str, Callable[..., Any]] = {
    **numpy_forms(anp, without=OTHERWISE.split()),
    **numpy_options(anp, without=WITHOUT.split()),
    **named(special, SPECIAL),
    **scipy_densities(stats, DENSITIES),
    **FORMS,
}
"""Every one of them."""
