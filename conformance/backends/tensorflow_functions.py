"""More functions of TensorFlow, under gradspec's names.

Keras is a library of its own, and lends nothing here. TensorFlow has images with their channels
last; functions of images are given ours with their axes in that order. What a function documents
that it takes no part of is left out: targets that are no probabilities, a mask for a number,
padding by less than nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

from .names import named
from .tensorflow_forms import OPTIONS

Tensor = Any
"""A `tf.Tensor`."""

MATH = """
erfc erfinv ndtri lgamma digamma polygamma zeta igammac xlog1py real imag
i0=bessel_i0 i0e=bessel_i0e i1=bessel_i1 i1e=bessel_i1e
isfinite=is_finite isinf=is_inf
pow_number=pow number_pow=pow div_floor=floordiv
prod_all=reduce_prod max_all=reduce_max min_all=reduce_min count_nonzero_along=count_nonzero
"""
LINALG = """
mT=matrix_transpose adjoint lu_factor=lu pinv qr eigh matrix_exp=expm
matrix_exp_scaled=expm
"""
NUMPY = """
diff diagflat isposinf isneginf signbit isclose logaddexp2 sinc positive fix vdot rot90
logical_and logical_or logical_xor logical_not roll_several=roll
atleast_1d atleast_2d atleast_3d meshgrid round_decimals=round diagonal_axes=diagonal
clamp_tensors=clip broadcast_tensors=broadcast_arrays
"""
CORE = """
complex argwhere=where fmod=truncatemod split_sizes=split
repeat_interleave_counts=repeat tensordot_axes=tensordot
"""
"""Our names for functions of `tf.math`, `tf.linalg`, `tf.experimental.numpy` and `tf`, and theirs
where they differ.
"""


def real(x: Tensor) -> Tensor:
    """Make a real number of a length or the like, which TensorFlow has as complex as its matrix."""
    return tf.math.real(x) if x.dtype.is_complex else x


def kept(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a reduction take axes, and whether to keep them."""
    return lambda x, dims, keepdim: function(x, axis=dims, keepdims=keepdim)


# ---- transforms ----------------------------------------------------------------------------------


TRANSFORMS = ("fft", "ifft", "rfft", "irfft")
"""Those that TensorFlow has along any axes."""


def line(transform: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a transform along several axes be one along a single axis."""

    def call(x: Tensor, n: int | None = None, dim: int = -1, norm: str = "backward") -> Tensor:
        return transform(x, None if n is None else [n], [dim], norm)

    return call


FOURIER: Mapping[str, Callable[..., Any]] = {
    **{name: line(getattr(tf.signal, f"{name}nd")) for name in TRANSFORMS},
    **{f"{name}2": getattr(tf.signal, f"{name}nd") for name in TRANSFORMS},
    **{f"{name}n": getattr(tf.signal, f"{name}nd") for name in TRANSFORMS},
    "fftshift": tf.signal.fftshift,
    "ifftshift": tf.signal.ifftshift,
}
"""Functions of `tf.signal`."""

# ---- images --------------------------------------------------------------------------------------


def channels_last(x: Tensor) -> Tensor:
    """Turn samples, channels, rows and columns into samples, rows, columns and channels."""
    return tf.transpose(x, (0, 2, 3, 1))


def channels_first(x: Tensor) -> Tensor:
    """Turn them back."""
    return tf.transpose(x, (0, 3, 1, 2))


def transposed_convolution(x: Tensor, weight: Tensor, bias: None = None, stride: int = 1) -> Tensor:
    """Spread images; TensorFlow is told how large they become."""
    del bias
    sizes = [stride * (n - 1) + k for n, k in zip(x.shape[2:], weight.shape[2:], strict=True)]
    kernels, shape = tf.transpose(weight, (2, 3, 1, 0)), [x.shape[0], *sizes, weight.shape[1]]
    return channels_first(tf.nn.conv2d_transpose(channels_last(x), kernels, shape, stride, "VALID"))


def nearest(x: Tensor, sizes: tuple[int, int], **rest: Any) -> Tensor:
    """Resize images by the entries that are nearest to the middles of the new ones."""
    del rest
    return channels_first(tf.image.resize(channels_last(x), sizes, "nearest"))


def padding(mode: str) -> Callable[..., Tensor]:
    """Let pairs of sizes count from the last axis."""

    def call(x: Tensor, sizes: tuple[int, ...], value: float = 0) -> Tensor:
        pairs = [sizes[n : n + 2] for n in range(0, len(sizes), 2)]
        around = [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]
        return tf.pad(x, around, mode, value)

    return call


# ---- losses --------------------------------------------------------------------------------------

MEAN: Mapping[str, Callable[[Tensor], Tensor]] = {
    "mean": tf.reduce_mean,
    "sum": tf.reduce_sum,
    "none": tf.identity,
}
"""How the losses of entries, which TensorFlow gives, are put together."""


def index_put(x: Tensor, keys: Any, values: Tensor, accumulate: bool = False) -> Tensor:  # noqa: FBT001, FBT002
    """Write at places, or add there."""
    write = tf.tensor_scatter_nd_add if accumulate else tf.tensor_scatter_nd_update
    return write(x, tf.stack(keys, -1), values)


def slogdet(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the phase, and a logarithm that is real."""
    phase, size = tf.linalg.slogdet(x)
    return phase, real(size)


def svd(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Order the factors as PyTorch does, the last one transposed."""
    values, left, right = tf.linalg.svd(x)
    return left, values, tf.linalg.adjoint(right)


SPELLED: Mapping[str, Callable[..., Any]] = {
    "norm": lambda x: real(tf.norm(x)),
    "eigvalsh": lambda x: real(tf.linalg.eigvalsh(x)),
    "logdet": lambda x: slogdet(x)[1],
    "slogdet": slogdet,
    "gelu_tanh": lambda x: tf.nn.gelu(x, approximate=True),
    "selu": tf.nn.selu,
    "softsign": tf.nn.softsign,
    "clamp_min": lambda x, low: tnp.clip(x, low, None),
    "clamp_max": lambda x, high: tnp.clip(x, None, high),
    "sort": lambda x, dim=-1, descending=False: (
        tf.sort(x, dim, "DESCENDING" if descending else "ASCENDING"),
        tf.argsort(x, dim, "DESCENDING" if descending else "ASCENDING"),
    ),
    "msort": lambda x: tf.sort(x, 0),
    "sum_several": kept(tf.reduce_sum),
    "logsumexp_several": kept(tf.reduce_logsumexp),
    "all_along": kept(tnp.all),
    "any_along": kept(tnp.any),
    "nansum": kept(tnp.nansum),
    "nanmean": kept(tnp.nanmean),
    "var_several": lambda x, dims, correction, keepdim: tnp.var(
        x, axis=dims, ddof=correction, keepdims=keepdim
    ),
    "svd": svd,
    "svdvals": lambda x: tf.linalg.svd(x, compute_uv=False),
    "lu_solve": lambda b, factors, places: tf.linalg.lu_solve(factors, places, b),
    "cholesky_solve": lambda b, lower: tf.linalg.cholesky_solve(lower, b),
    "lstsq": lambda a, b: (tf.linalg.lstsq(a, b),),
    "norm_spectral": lambda x: tf.norm(x, 2, axis=(-2, -1)),
    "binary_cross_entropy_with_logits": lambda x, y, reduction="mean": MEAN[reduction](
        tf.nn.sigmoid_cross_entropy_with_logits(y, x)
    ),
    "cross_entropy": lambda x, shares: tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits(shares, x)
    ),
    "index_put": index_put,
    "conv_transpose2d": transposed_convolution,
    "interpolate_nearest_exact2d": nearest,
    "pad": padding("CONSTANT"),
    "pad_reflect": padding("REFLECT"),
}
"""Functions that take their arguments in another way."""

MORE: Mapping[str, Callable[..., Any]] = {
    **named(tf.math, MATH),
    **named(tf.linalg, LINALG),
    **named(tnp, NUMPY),
    **named(tf, CORE),
    **FOURIER,
    **SPELLED,
    **OPTIONS,
    "svd_thin": svd,
}
"""Every one of them."""
