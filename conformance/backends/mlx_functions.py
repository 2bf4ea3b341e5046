"""More functions of MLX, under gradspec's names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlx import core as mx
from mlx import nn
from mlx.nn import losses

from .mlx_layers import LAYERS, last, on_channels
from .names import named
from .numpy_forms import numpy_forms
from .numpy_options import numpy_options

NN = """
celu mish hardswish softsign softshrink hardshrink=hard_shrink hardtanh=hard_tanh softmin
elu_alpha=elu prelu gelu_tanh=gelu_approx
"""
"""Functions of `mlx.nn`, and their names where they differ from ours."""

LOSSES = """
mse_loss l1_loss smooth_l1_loss smooth_l1_loss_beta=smooth_l1_loss huber_loss
huber_loss_delta=huber_loss gaussian_nll_loss margin_ranking_loss nll_loss
"""
"""Losses of `mlx.nn` that take what PyTorch's take."""

OTHERWISE = """
repeat_interleave_counts diff_ends pinv_hermitian pinv_cut qr_wide qr_factor qr_complete svd_thin
"""
"""Functions of `mlx.core` that take less than numpy's."""


def widths(x: mx.array, sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Turn sizes before and after, the last axis first, into pairs, the first axis first."""
    pairs = [(sizes[n], sizes[n + 1]) for n in range(0, len(sizes), 2)]
    return [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]


def loss(function: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """Let a loss be a mean unless it is told otherwise."""

    def call(*tensors: mx.array, reduction: str = "mean", **options: Any) -> mx.array:
        return function(*tensors, reduction=reduction, **options)

    return call


def convolution(function: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """Let a convolution read images and kernels with channels first."""

    def call(
        x: mx.array, weight: mx.array, bias: None = None, stride: int = 1, padding: int = 0
    ) -> mx.array:
        if bias is not None:
            raise NotImplementedError
        return on_channels(lambda y: function(y, last(weight), stride, padding), x)

    return call


def transposed_convolution(
    x: mx.array, weight: mx.array, bias: None = None, stride: int = 1
) -> mx.array:
    """Let a transposed convolution read images and kernels as PyTorch lays them out."""
    if bias is not None:
        raise NotImplementedError
    kernels = mx.moveaxis(weight, 0, -1)
    return on_channels(lambda y: mx.conv_transpose2d(y, kernels, stride), x)


def spread_along_axes(
    x: mx.array,
    weight: mx.array,
    bias: None,
    stride: Any,
    padding: Any,
    more: Any,
    groups: int,
    dilation: Any,
) -> mx.array:
    """Let a transposed convolution do another thing along each axis."""
    del bias
    kernels = mx.moveaxis(weight, 0, -1)
    return on_channels(
        lambda y: mx.conv_transpose2d(y, kernels, stride, padding, dilation, more, groups), x
    )


FORMS: Mapping[str, Callable[..., Any]] = {
    "complex": lambda re, im: re + 1j * im,
    "deg2rad": mx.radians,
    "rad2deg": mx.degrees,
    "erfinv": mx.erfinv,
    "unbind": lambda x, dim=0: mx.unstack(x, axis=dim),
    "as_strided": mx.as_strided,
    "addmm": lambda c, a, b, beta=1, alpha=1: mx.addmm(c, a, b, alpha=alpha, beta=beta),
    "cross": lambda x, y, dim: mx.linalg.cross(x, y, axis=dim),
    "logcumsumexp": lambda x, dim: mx.logcumsumexp(x, axis=dim),
    "logsumexp_several": lambda x, dim, keepdim=False: mx.logsumexp(x, dim, keepdims=keepdim),
    "cummax": lambda x, dim: (mx.cummax(x, axis=dim),),
    "cummin": lambda x, dim: (mx.cummin(x, axis=dim),),
    "aminmax": lambda x, dim, keepdim: mx.minmax(x, axis=dim, keepdims=keepdim),
    "pad": lambda x, sizes: mx.pad(x, widths(x, sizes)),
    "pad_replicate": lambda x, sizes: mx.pad(x, widths(x, sizes), "edge"),
    "pad_reflect": lambda x, sizes: mx.pad(x, widths(x, sizes), "reflect"),
    "scatter_number": lambda x, dim, index, value: mx.put_along_axis(
        x, index, mx.array(value, x.dtype), axis=dim
    ),
    "svd": mx.linalg.svd,
    "svdvals": lambda x: mx.linalg.svd(x, compute_uv=False),
    "cholesky_inverse": mx.linalg.cholesky_inv,
    "matrix_norm": lambda x, order="fro": mx.linalg.norm(x, order, [-2, -1]),
    "norm_nuclear": lambda x: mx.linalg.norm(x, "nuc", [-2, -1]),
    "norm_spectral": lambda x: mx.linalg.norm(x, 2, [-2, -1]),
    "conv1d": convolution(mx.conv1d),
    "conv2d": convolution(mx.conv2d),
    "conv_transpose2d": transposed_convolution,
    "conv_transpose2d_axes": spread_along_axes,
    "addmm_nothing": lambda c, a, b, beta, alpha: mx.addmm(c, a, b, alpha=alpha, beta=beta),
    "hardtanh_bounds": nn.hard_tanh,
    "cosine_similarity_along": lambda x, y, dim, eps: losses.cosine_similarity_loss(
        x, y, axis=dim, eps=eps
    ),
    "cosine_similarity": lambda x, y, dim=1: losses.cosine_similarity_loss(x, y, axis=dim),
    "binary_cross_entropy": lambda p, y, reduction="mean": losses.binary_cross_entropy(
        p, y, with_logits=False, reduction=reduction
    ),
    "binary_cross_entropy_with_logits": lambda x, y, reduction="mean": losses.binary_cross_entropy(
        x, y, reduction=reduction
    ),
}
"""Functions of `mlx.core` and `mlx.nn` that have a name of their own here."""


MORE: Mapping[str, Callable[..., Any]] = {
    **numpy_forms(mx, without=OTHERWISE.split()),
    **numpy_options(mx, without=OTHERWISE.split()),
    **named(nn, NN),
    **{name: loss(function) for name, function in named(losses, LOSSES).items()},
    **FORMS,
    **LAYERS,
}
"""Every one of them."""

LATER = {
    "unbind": hasattr(mx, "unstack"),
    "aminmax": hasattr(mx, "minmax"),
    "stft_options": hasattr(mx.fft, "stft"),
    "istft_options": hasattr(mx.fft, "istft"),
}
"""Whether this release has what some forms need, and the oldest of this adapter has not."""
