"""More functions of PaddlePaddle, under gradspec's names.

What a function asks more for than PyTorch's is left out: windows with gaps, isclose of several
shapes, layer_norm with an epsilon above 0.001, rms_norm away from CUDA, padding by less than
nothing. Its renorm and cosine_embedding_loss add other small numbers, and weighted means of
cross_entropy are others. The offset of its `as_strided` is one in bytes: it reads and writes
outside of its tensor.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import paddle
from paddle import Tensor, compat, fft, linalg
from paddle.nn import functional

from .names import named
from .paddle_forms import OPTIONS

PLAIN = """
 hsplit vsplit dsplit nonzero dot imag
erfinv lgamma digamma i0 i0e i1 i1e sinc logit
fmax fmin copysign nan_to_num ldexp positive sgn
isfinite isinf isposinf isneginf signbit  logical_and logical_or logical_xor logical_not
dist cdist pdist rot90 diag_embed diagflat  expand_as
atleast_1d atleast_2d atleast_3d combinations meshgrid
msort cummax cummin kthvalue mode diff
index_put masked_scatter select_scatter diagonal_scatter searchsorted bucketize argwhere
complex polar
"""
"""Functions of `paddle`."""

FUNCTIONAL = """
selu celu mish hardswish softsign softshrink hardshrink tanhshrink
gaussian_nll_loss poisson_nll_loss margin_ranking_loss hinge_embedding_loss soft_margin_loss
 multi_margin_loss triplet_margin_loss triplet_margin_with_distance_loss
       conv3d
 instance_norm local_response_norm affine_grid
"""
"""Functions of `paddle.nn.functional`."""

LINALG = """
lu_solve cholesky_solve pinv lstsq qr eigh svdvals cond matrix_exp multi_dot
matrix_norm corrcoef
"""
"""Functions of `paddle.linalg`."""

FOURIER = """
rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn
"""
"""Functions of `paddle.fft`."""

INTERPOLATIONS = """
interpolate_nearest2d interpolate_area1d interpolate_area2d
interpolate_linear interpolate_bilinear interpolate_trilinear interpolate_bicubic
"""
"""Modes of `paddle.nn.functional.interpolate`."""

REDUCED = ("sum", "prod", "mean", "amax", "amin")
"""What entries that go to one place may come to."""

FORMS: Mapping[str, Callable[..., Any]] = {
    "elu_alpha": functional.elu,
    "threshold": functional.thresholded_relu,
    "softplus_beta": functional.softplus,
    "gelu_tanh": partial(functional.gelu, approximate="tanh"),
    # The slope that is documented where none is given, 0.1666667, is not 1/6.
    "hardsigmoid": partial(functional.hardsigmoid, slope=1 / 6),
    "rrelu": partial(functional.rrelu, training=False),
    "logit_clamped": paddle.logit,
    "mvlgamma": paddle.multigammaln,
    "igammac": paddle.gammaincc,
    "add_alpha": paddle.add,
    "sub_alpha": paddle.subtract,
    "div_floor": partial(paddle.divide, rounding_mode="floor"),
    "div_trunc": partial(paddle.divide, rounding_mode="trunc"),
    "clamp_min": paddle.clamp,
    "round_decimals": paddle.round,
    "pow_number": paddle.pow,
    "lerp_number": paddle.lerp,
    "binary_cross_entropy_weight": functional.binary_cross_entropy,
    "binary_cross_entropy_with_logits_weight": functional.binary_cross_entropy_with_logits,
    "kl_div_log_target": partial(functional.kl_div, log_target=True),
    "huber_loss": functional.smooth_l1_loss,
    "huber_loss_delta": functional.smooth_l1_loss,
    "multilabel_soft_margin_loss": functional.multi_label_soft_margin_loss,
    "multilabel_margin_loss": functional.multi_label_margin_loss,
    "conv1d_grouped": functional.conv1d,
    "conv2d_grouped": functional.conv2d,
    "conv_transpose1d": functional.conv1d_transpose,
    "conv_transpose3d": functional.conv3d_transpose,
    "scaled_dot_product_attention": compat.nn.functional.scaled_dot_product_attention,
    **{
        name: lambda x, sizes, mode, align_corners: functional.interpolate(
            x, list(sizes), mode=mode, align_corners=bool(align_corners)
        )
        for name in INTERPOLATIONS.split()
    },
    "pad_reflect": partial(compat.nn.functional.pad, mode="reflect"),
    "pad_replicate": partial(compat.nn.functional.pad, mode="replicate"),
    "pad_circular": partial(compat.nn.functional.pad, mode="circular"),
    "split_sizes": compat.split,
    "tensor_split_places": paddle.tensor_split,
    "roll_several": paddle.roll,
    "diagonal_axes": paddle.diagonal,
    "unfold_axis": paddle.unfold,
    "squeeze_several": paddle.squeeze,
    "repeat_interleave_counts": paddle.repeat_interleave,
    "masked_fill_tensor": paddle.masked_fill,
    **{f"scatter_reduce_{kind}": partial(paddle.scatter_reduce, reduce=kind) for kind in REDUCED},
    "logsumexp_several": paddle.logsumexp,
    "var_several": paddle.var,
    "prod_all": paddle.prod,
    "max_all": paddle.max,
    "min_all": paddle.min,
    "median_all": compat.median,
    "nanmedian": compat.nanmedian,
    "quantile": paddle.quantile,
    "nanmean": paddle.nanmean,
    "all_along": paddle.all,
    "any_along": paddle.any,
    "count_nonzero_along": paddle.count_nonzero,
    "argmax_keepdim": paddle.argmax,
    "argmin_keepdim": paddle.argmin,
    "solve_left": partial(linalg.solve, left=False),
    "lu_factor": linalg.lu,
    "matrix_exp_scaled": linalg.matrix_exp,
    "cholesky_upper": partial(linalg.cholesky, upper=True),
    "slogdet": compat.slogdet,
    "norm_nuclear": partial(linalg.matrix_norm, p="nuc"),
    "norm_spectral": partial(linalg.matrix_norm, p=2),
    "tensordot_axes": paddle.tensordot,
    "vector_norm": linalg.vector_norm,
}
"""Functions that have another name, or options that have a name of their own here."""

SPELLED: Mapping[str, Callable[..., Any]] = {
    "dropout": lambda x, p, training: functional.dropout(x, p, training=training),
    "polygamma": lambda n, x: paddle.polygamma(x, n),
    "clamp_max": lambda x, high: paddle.clamp(x, None, high),
    "number_pow": lambda x, y: x**y,
    "cross_entropy_labels": lambda x, labels, **named: functional.cross_entropy(
        x, labels, axis=min(1, x.ndim - 1), **named
    ),
    "ctc_loss": lambda x, labels, *lengths, **named: functional.ctc_loss(
        x, labels.astype("int32"), *lengths, **named
    ),
    "pairwise_distance": lambda x, y, p, eps, keepdim: functional.pairwise_distance(
        x, y, p, epsilon=eps, keepdim=keepdim
    ),
    "conv_transpose2d_grouped": lambda x, w, bias, stride, padding, more, groups, dilation: (
        functional.conv2d_transpose(x, w, bias, stride, padding, more, dilation, groups)
    ),
    "group_norm": lambda x, groups, weight, bias, eps: functional.group_norm(
        x, groups, eps, weight, bias
    ),
    "normalize_order": functional.normalize,
    "mT": lambda x: x.mT,
    "cartesian_prod": lambda *vectors: paddle.cartesian_prod(vectors),
    "broadcast_tensors": lambda *tensors: paddle.broadcast_tensors(tensors),
    "nansum": lambda x, dims, keepdim: paddle.nansum(x, dims, keepdim=keepdim),
    "sum_several": lambda x, dims, keepdim: paddle.sum(x, dims, keepdim=keepdim),
    "sort_stable": lambda x, stable, dim, descending: compat.sort(x, dim, descending, stable),
    "trapezoid": lambda y, dx, dim: paddle.trapezoid(y, dx=dx, axis=dim),
    "cumulative_trapezoid": lambda y, dx, dim: paddle.cumulative_trapezoid(y, dx=dx, axis=dim),
    "cov": lambda x, correction: linalg.cov(x, ddof={1: True, 0: False}[correction]),
    "lu": lambda x: linalg.lu_unpack(*linalg.lu(x)),
    "fftshift": lambda x, dim: fft.fftshift(x, [dim]),
    "ifftshift": lambda x, dim: fft.ifftshift(x, [dim]),
    "vecdot": lambda x, y, dim: linalg.vecdot(x, y, axis=dim),
    "index_add_alpha": lambda x, dim, index, src, alpha: paddle.index_add(
        x, index, dim, src, alpha
    ),
}
"""Functions that take their arguments in another way."""


def batch_norm(
    x: Tensor, mean: Tensor | None, variance: Tensor | None, weight: Tensor, *rest: Any
) -> Tensor:
    """Normalise by channels; PaddlePaddle asks for statistics that it may overwrite."""
    if mean is None or variance is None:
        mean, variance = paddle.zeros_like(weight).detach(), paddle.ones_like(weight).detach()
    return functional.batch_norm(x, mean, variance, weight, *rest)


def norm(x: Tensor, p: float, axis: Any, *rest: Any) -> Tensor:
    """Take the norm of vectors: of two axes PaddlePaddle's own norm means that of matrices."""
    several = isinstance(axis, tuple) and len(axis) == 2
    return (linalg.vector_norm if several else paddle.norm)(x, p, axis, *rest)


def nll_loss(x: Tensor, labels: Tensor, **named: Any) -> Tensor:
    """Hand one sample on as a batch of one, without which PaddlePaddle refuses it."""
    if x.ndim > 1:
        return functional.nll_loss(x, labels, **named)
    return functional.nll_loss(x.unsqueeze(0), labels.unsqueeze(0), **named).reshape([])


MORE: Mapping[str, Callable[..., Any]] = {
    **named(paddle, PLAIN),
    **named(functional, FUNCTIONAL),
    **named(linalg, LINALG),
    **named(fft, FOURIER),
    **FORMS,
    **SPELLED,
    **OPTIONS,
    "nll_loss_weight": nll_loss,
    "norm_order": norm,
    "batch_norm": batch_norm,
    "batch_norm_evaluation": batch_norm,
}
"""Every one of them."""
