"""More functions of a library that goes by NumPy's names, under gradspec's: rarer ones, and forms.

As in `numpy_names` only the spelling changes, and what a library lacks is left out. A function that
NumPy has under one name has one here: that which `mm`, `repeat` or `max_all` would say again is
said by `matmul`, `tile` or `amax`. NumPy squeezes no axis that is longer than one, so it has no
`squeeze_several`.
"""

from collections.abc import Callable, Iterable
from typing import Any

from .numpy_names import lent_by

Function = Callable[..., Any]

SAME = """
real imag deg2rad rad2deg sinc i0 positive fmax fmin copysign logaddexp2 nan_to_num fix
isfinite isinf isposinf isneginf signbit isclose logical_and logical_or logical_xor logical_not
flipud fliplr rot90 diagflat meshgrid atleast_1d atleast_2d atleast_3d argwhere corrcoef vdot
"""
"""Functions that differ in nothing."""

RENAMED = {
    "div_floor": "floor_divide",
    "clamp_tensors": "clip",
    "pow_number": "power",
    "number_pow": "power",
    "round_decimals": "round",
    "roll_several": "roll",
    "diagonal_axes": "diagonal",
    "repeat_interleave_counts": "repeat",
    "tensordot_axes": "tensordot",
    "mT": "matrix_transpose",
    "fftshift": "fft.fftshift",
    "ifftshift": "fft.ifftshift",
    "slogdet": "linalg.slogdet",
    "pinv": "linalg.pinv",
    "qr": "linalg.qr",
    "lstsq": "linalg.lstsq",
    "eigh": "linalg.eigh",
    "svdvals": "linalg.svdvals",
    "cond": "linalg.cond",
    "tensorinv": "linalg.tensorinv",
    "multi_dot": "linalg.multi_dot",
    **{
        f"{kind}{ending}": f"fft.{kind}{ending}"
        for kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
        for ending in ("", "2", "n")
    },
}
"""Functions that differ in name only."""

ALONG = {
    "nansum": "nansum",
    "nanmean": "nanmean",
    "sum_several": "sum",
    "all_along": "all",
    "any_along": "any",
    "count_nonzero_along": "count_nonzero",
    "argmax_keepdim": "argmax",
    "argmin_keepdim": "argmin",
}
"""Functions that take an axis or several, and some whether to keep them."""


def spread(function: Function) -> Function:
    """Let a variance take several axes, and whether to keep them."""
    return lambda x, dim, correction=1, keepdim=False: function(
        x, axis=dim, ddof=correction, keepdims=keepdim
    )


def shared(function: Function) -> Function:
    """Let a quantile say what is between two entries."""
    return lambda x, q, dim, keepdim=False, interpolation="linear": function(
        x, q, axis=dim, keepdims=keepdim, method=interpolation
    )


def stepped(function: Function) -> Function:
    """Let an area take the step and the axis."""
    return lambda y, dx=1.0, dim=-1: function(y, dx=dx, axis=dim)


SPELLED: dict[str, tuple[str, Callable[[Function], Function]]] = {
    "clamp_min": ("clip", lambda f: lambda x, low: f(x, low, None)),
    "clamp_max": ("clip", lambda f: lambda x, high: f(x, None, high)),
    "frac": ("modf", lambda f: lambda x: f(x)[0]),
    "msort": ("sort", lambda f: lambda x: f(x, axis=0)),
    "var_several": ("var", spread),
    "std_several": ("std", spread),
    "diff": ("diff", lambda f: lambda x, n=1, dim=-1: f(x, n, axis=dim)),
    "trapezoid": ("trapezoid", stepped),
    "gradient": ("gradient", lambda f: lambda x, spacing, dim: [f(x, spacing, axis=dim)]),
    "cov": ("cov", lambda f: lambda x, correction=1: f(x, ddof=correction)),
    "quantile": ("quantile", shared),
    "nanquantile": ("nanquantile", shared),
    "tensor_split_places": ("split", lambda f: lambda x, at, dim=0: f(x, list(at), axis=dim)),
    "broadcast_tensors": ("broadcast_arrays", lambda f: lambda *x: list(f(*x))),
    "masked_select": ("extract", lambda f: lambda x, mask: f(mask, x)),
    "vecdot": ("vecdot", lambda f: lambda x, y, dim=-1: f(x, y, axis=dim)),
    "vector_norm": (
        "linalg.vector_norm",
        lambda f: (
            lambda x, order=2, dim=None, keepdim=False: f(x, axis=dim, keepdims=keepdim, ord=order)
        ),
    ),
    "matrix_norm": ("linalg.matrix_norm", lambda f: lambda x, order="fro": f(x, ord=order)),
    "norm_nuclear": ("linalg.matrix_norm", lambda f: lambda x: f(x, ord="nuc")),
    "norm_spectral": ("linalg.matrix_norm", lambda f: lambda x: f(x, ord=2)),
    "cholesky_upper": ("linalg.cholesky", lambda f: lambda x: f(x, upper=True)),
    "searchsorted": (
        "searchsorted",
        lambda f: lambda x, y, right=False: f(x, y, side="right" if right else "left"),
    ),
    # NumPy says of the bin whether it is closed at the right, PyTorch of the places.
    "bucketize": ("digitize", lambda f: lambda y, x, right=False: f(y, x, right=not right)),
}
"""Functions that take their arguments in another way."""


def numpy_forms(*modules: Any, without: Iterable[str] = ()) -> dict[str, Function]:
    """Collect what `modules` have; of two that have a function, the first one lends it."""
    same = {name: name for name in SAME.split()} | RENAMED
    return lent_by(modules, same, ALONG, SPELLED, without)
