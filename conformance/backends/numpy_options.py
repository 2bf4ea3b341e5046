"""Functions of a library that goes by NumPy's names, by their rarer options, under gradspec's.

What a library refuses by an exception that names the option is left out by its adapter.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any

from .numpy_forms import spread
from .numpy_names import lent_by

Function = Callable[..., Any]

SAME = {
    "nansum_all": "nansum",
    "nanmean_all": "nanmean",
    "isclose_within": "isclose",
    "pinv_hermitian": "linalg.pinv",
    "pinv_cut": "linalg.pinv",
    "qr_wide": "linalg.qr",
    "eigh_upper": "linalg.eigh",
    "eigvalsh_upper": "linalg.eigvalsh",
    "tensorinv_several": "linalg.tensorinv",
    "solve_vector": "linalg.solve",
    "cond_order": "linalg.cond",
    "cond_singular": "linalg.cond",
    "number_remainder": "remainder",
    "remainder_number": "remainder",
    "fmod_number": "fmod",
    "where_numbers": "where",
    "take_along_dim_wide": "take_along_axis",
    "repeat_interleave_flat": "repeat",
    "reshape_rest": "reshape",
    "fftshift_all": "fft.fftshift",
    "ifftshift_all": "fft.ifftshift",
    "fftn_whole": "fft.fftn",
    "ifftn_whole": "fft.ifftn",
    "rot90_plain": "rot90",
    "triu_far": "triu",
    "tril_far": "tril",
    "einsum_options": "einsum",
    "prod_all": "prod",
}
"""Functions that take their options as PyTorch's do."""

ALONG = {
    "prod_keepdim": "prod",
    "all_several": "all",
    "any_several": "any",
    "count_nonzero_several": "count_nonzero",
    "sum_options": "sum",
    "mean_options": "mean",
    "amax_options": "max",
    "amin_options": "min",
    "prod_options": "prod",
    "cumsum_options": "cumsum",
    "cumprod_options": "cumprod",
}
"""Functions that take an axis or several, and some whether to keep them."""


def bounded(function: Function) -> Function:
    """Let bounds be one or two, by name."""
    return lambda x, **known: function(x, known.get("min"), known.get("max"))


def spread_wholly(function: Function) -> Function:
    """Let a variance take axes or none, and whether to keep them."""
    return lambda x, dim=None, correction=1, keepdim=False: function(
        x, axis=dim, ddof=correction, keepdims=keepdim
    )


def differences(function: Function) -> Function:
    """Let differences begin before, and end after, what is given."""
    return lambda x, n, dim, low, high: function(x, n, axis=dim, prepend=low, append=high)


def order_of(function: Function) -> Function:
    """Let a norm take its order before its axes."""
    return lambda x, order, dim, keepdim: function(x, ord=order, axis=dim, keepdims=keepdim)


def quantile(function: Function) -> Function:
    """Let a quantile of all entries say what is between them."""
    return lambda x, q, keepdim, interpolation: function(
        x, q, keepdims=keepdim, method=interpolation
    )


SPELLED: dict[str, tuple[str, Callable[[Function], Function]]] = {
    "var_options": ("var", spread_wholly),
    "std_options": ("std", spread_wholly),
    "diagonal_options": (
        "diagonal",
        lambda f: lambda x, offset=0, dim1=0, dim2=1: f(x, offset, dim1, dim2),
    ),
    "var_all": ("var", spread),
    "std_all": ("std", spread),
    "quantile_all": ("quantile", quantile),
    "cov_weighted": (
        "cov",
        lambda f: lambda x, correction, **weights: f(x, ddof=correction, **weights),
    ),
    "diff_ends": ("diff", differences),
    "trapezoid_places": ("trapezoid", lambda f: lambda y, x, dim: f(y, x, axis=dim)),
    "gradient_edges": (
        "gradient",
        lambda f: lambda x, spacing, dim: [f(x, spacing, axis=dim, edge_order=2)],
    ),
    "gradient_several": ("gradient", lambda f: lambda x, spacing, dim: f(x, *spacing, axis=dim)),
    "vector_norm_orders": ("linalg.vector_norm", order_of),
    "matrix_norm_along": ("linalg.norm", order_of),
    "cross_along": ("cross", lambda f: lambda x, y, dim: f(x, y, axis=dim)),
    "qr_factor": ("linalg.qr", lambda f: lambda x: (None, f(x, mode="r"))),
    "qr_complete": ("linalg.qr", lambda f: lambda x: f(x, mode="complete")),
    "svd_thin": ("linalg.svd", lambda f: lambda x: f(x, full_matrices=False)),
    "tensordot_options": ("tensordot", lambda f: lambda x, y, dims=2: f(x, y, dims)),
    "cat_options": ("concatenate", lambda f: lambda tensors, dim=0: f(tensors, axis=dim)),
    "roll_options": ("roll", lambda f: lambda x, shifts, dims=None: f(x, shifts, dims)),
    "clamp_tensors_wide": ("clip", bounded),
    "clamp_tensors_wider": ("clip", bounded),
}
"""Functions that take their options in another way."""


def numpy_options(*modules: Any, without: Iterable[str] = ()) -> dict[str, Function]:
    """Collect what `modules` have; of two that have a function, the first one lends it."""
    lent = lent_by(modules, SAME, ALONG, SPELLED, without)
    return {**lent, "number_sub": operator.sub, "number_div": operator.truediv}
