"""Functions of a library that goes by NumPy's names, by all of their options at once.

They are what the chapter `options` draws. Only the spelling changes; what a library lacks is left
out, and what it refuses is left out by its adapter.
"""

from collections.abc import Callable, Iterable
from typing import Any

from .numpy_names import lent_by

Function = Callable[..., Any]

SAME = {
    **{f"{name}_options": name for name in ["corrcoef", "triu", "tril", "diag", "diagflat"]},
    **{f"{name}_options": f"linalg.{name}" for name in ["matrix_power", "svdvals", "qr"]},
    "multi_dot_options": "linalg.multi_dot",
}
"""Functions that take their options as PyTorch's do."""

ALONG = {
    f"{name}_options": name for name in ["logsumexp", "softmax", "log_softmax", "nansum", "nanmean"]
}
"""Functions that take an axis or several, and some whether to keep them."""


def transformed(function: Function) -> Function:
    """Let a transform of one axis take its size, its axis and its factor."""
    return lambda x, n=None, dim=-1, norm="backward": function(x, n, dim, norm)


def transformed_axes(function: Function) -> Function:
    """Let a transform take sizes, of which -1 stands for what an axis has, axes and its factor."""

    def call(x: Any, s: Any = None, dim: Any = None, norm: str = "backward") -> Any:
        if s is not None:
            dim = tuple(range(-len(s), 0)) if dim is None else dim
            s = tuple(x.shape[axis] if n == -1 else n for n, axis in zip(s, dim, strict=True))
        return function(x, s, dim, norm) if dim is not None else function(x, s, norm=norm)

    return call


def quantile(function: Function) -> Function:
    """Let a quantile say along which axis, and what is between two entries."""
    return lambda x, q, dim=None, keepdim=False, interpolation="linear": function(
        x, q, axis=dim, keepdims=keepdim, method=interpolation
    )


def norm_of(axis: Any) -> Callable[[Function], Function]:
    """Let a norm take its order and its axes by name."""
    return lambda f: (
        lambda x, keepdim=False, dim=axis, **order: f(x, **order, axis=dim, keepdims=keepdim)
    )


def norm_of_matrix(function: Function) -> Function:
    """Let the norm of matrices along two axes take its order by name."""
    return lambda x, ord="fro", dim=(-2, -1), keepdim=False: function(  # noqa: A006
        x, ord=ord, axis=dim, keepdims=keepdim
    )


SPELLED: dict[str, tuple[str, Callable[[Function], Function]]] = {
    **{f"{word}_options": (f"fft.{word}", transformed)
       for word in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]},
    **{f"{word}{n}_options": (f"fft.{word}{n}", transformed_axes)
       for word in ["fft", "ifft", "rfft", "irfft"] for n in "2n"},
    "quantile_options": ("quantile", quantile),
    "diff_options": (
        "diff", lambda f: lambda x, n=1, dim=-1, **ends: f(x, n, axis=dim, **ends)
    ),
    "trapezoid_options": (
        "trapezoid", lambda f: lambda y, x=None, dx=1.0, dim=-1: f(y, x, dx=dx, axis=dim)
    ),
    "cov_options": (
        "cov", lambda f: lambda x, correction=1, **weights: f(x, ddof=correction, **weights)
    ),
    "rot90_options": ("rot90", lambda f: lambda x, k=1, dims=(0, 1): f(x, k, dims)),
    "repeat_interleave_options": (
        "repeat", lambda f: lambda x, repeats, dim=None: f(x, repeats, axis=dim)
    ),
    "cross_options": ("cross", lambda f: lambda x, y, dim=-1: f(x, y, axis=dim)),
    "vecdot_options": ("vecdot", lambda f: lambda x, y, dim=-1: f(x, y, axis=dim)),
    "vector_norm_options": ("linalg.vector_norm", norm_of(None)),
    "matrix_norm_options": ("linalg.norm", norm_of_matrix),
    "matrix_norm_singular_options": ("linalg.norm", norm_of_matrix),
    "cholesky_options": ("linalg.cholesky", lambda f: lambda x, upper=False: f(x, upper=upper)),
    "svd_options": (
        "linalg.svd", lambda f: lambda x, full_matrices=True: f(x, full_matrices=full_matrices)
    ),
}  # fmt: skip
"""Functions that take their options in another way."""


def numpy_meeting(*modules: Any, without: Iterable[str] = ()) -> dict[str, Function]:
    """Collect what `modules` have; of two that have a function, the first one lends it."""
    return lent_by(modules, SAME, ALONG, SPELLED, without)
