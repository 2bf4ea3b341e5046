"""More functions of Autograd, under gradspec's names."""

from collections.abc import Callable, Mapping
from typing import Any

from autograd import numpy as anp
from autograd.scipy import linalg, special, stats

from .names import named
from .numpy_forms import numpy_forms

SPECIAL = """
erfc erfinv logit polygamma digamma lgamma=gammaln mvlgamma=multigammaln igammac=gammaincc i1
"""
"""Functions of `autograd.scipy.special`, and their names where they differ from ours."""

OTHERWISE = "lstsq"
"""Functions of numpy that take less than ours: no batch."""


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
    "matrix_exp": linalg.expm,
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
    **named(special, SPECIAL),
    **FORMS,
}
"""Every one of them."""
