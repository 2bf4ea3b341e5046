"""More functions of PyTorch, under gradspec's names."""

from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from .names import named
from .torch_densities import DENSITIES
from .torch_forms import OPTIONS

FUNCTIONAL = """
selu celu mish hardswish hardsigmoid softsign softshrink hardshrink threshold tanhshrink softmin
rrelu dropout
gaussian_nll_loss poisson_nll_loss margin_ranking_loss hinge_embedding_loss soft_margin_loss
cosine_embedding_loss multilabel_soft_margin_loss multi_margin_loss multilabel_margin_loss
ctc_loss max_pool1d max_pool3d avg_pool1d avg_pool3d
adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d lp_pool1d lp_pool2d lp_pool3d
max_unpool1d max_unpool2d max_unpool3d fold conv3d conv_transpose1d conv_transpose3d
group_norm instance_norm rms_norm local_response_norm scaled_dot_product_attention
multi_head_attention_forward embedding_bag grid_sample affine_grid pixel_shuffle pixel_unshuffle
channel_shuffle
pairwise_distance pdist triplet_margin_loss triplet_margin_with_distance_loss
"""
"""Functions of `torch.nn.functional`."""

TORCH = """
logit erfc erfinv lgamma digamma polygamma mvlgamma igammac i0 sinc
rsub fmax fmin copysign clamp_min clamp_max nan_to_num logaddexp2 ldexp positive sgn fix
isfinite isinf isposinf isneginf signbit isclose logical_and logical_or logical_xor logical_not
rot90 diag_embed diagflat narrow_copy adjoint atleast_1d atleast_2d atleast_3d unsafe_split
combinations meshgrid cartesian_prod broadcast_tensors
put select_scatter slice_scatter diagonal_scatter as_strided_scatter searchsorted bucketize argwhere
nansum nanmean var_mean std_mean quantile nanquantile cummax cummin kthvalue mode nanmedian aminmax
msort diff
trapezoid cumulative_trapezoid gradient cov corrcoef
cholesky_inverse cholesky_solve vdot addmv addr addbmm complex polar angle
view_as_real
dist cdist renorm rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell
view_copy expand_copy permute_copy transpose_copy t_copy squeeze_copy unsqueeze_copy select_copy
slice_copy diagonal_copy unfold_copy as_strided_copy alias_copy detach_copy unbind_copy
split_copy split_with_sizes_copy unsafe_chunk unsafe_split_with_sizes ormqr norm_except_dim
"""
"""Functions of `torch`."""

SPECIAL = "erfcx ndtr ndtri log_ndtr i0e i1 i1e entr xlog1py zeta"
"""Functions of `torch.special`."""

INTERPOLATIONS = """
interpolate_nearest1d interpolate_nearest2d interpolate_nearest_exact1d interpolate_nearest_exact2d
interpolate_area1d interpolate_area2d interpolate_linear interpolate_bilinear interpolate_trilinear
interpolate_bicubic
"""
"""Modes of `torch.nn.functional.interpolate`."""

REDUCED = ("sum", "prod", "mean", "amax", "amin")
"""What entries that go to one place may come to."""

MASKED = """
sum mean prod amax amin median var norm logsumexp softmax log_softmax cumsum cumprod
"""
"""Functions of `torch.masked`."""

SEGMENTS = "sum mean prod max min"
"""What segments of an axis may come to."""

LINALG = """
solve_triangular lu lu_factor slogdet pinv lstsq qr eigh eig eigvals svdvals cond matrix_exp
tensorinv tensorsolve multi_dot vander vecdot householder_product
"""
"""Functions of `torch.linalg`."""

NEWER = "matrix_sqrth polar_factors=polar"
"""More functions of `torch.linalg`, which PyTorch has since 2.14."""

FOURIER = """
rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn
fftshift ifftshift
"""
"""Functions of `torch.fft`."""

FORMS: Mapping[str, Callable[..., Any]] = {
    "elu_alpha": functional.elu,
    "matrix_exp_scaled": torch.matrix_exp,
    "softplus_beta": functional.softplus,
    "gelu_tanh": partial(functional.gelu, approximate="tanh"),
    "logit_clamped": torch.logit,
    "add_alpha": torch.add,
    "sub_alpha": torch.sub,
    "div_floor": partial(torch.div, rounding_mode="floor"),
    "div_trunc": partial(torch.div, rounding_mode="trunc"),
    "clamp_tensors": torch.clamp,
    "pow_number": torch.pow,
    "number_pow": torch.pow,
    "lerp_number": torch.lerp,
    "binary_cross_entropy_weight": functional.binary_cross_entropy,
    "binary_cross_entropy_with_logits_weight": functional.binary_cross_entropy_with_logits,
    "kl_div_log_target": partial(functional.kl_div, log_target=True),
    "huber_loss_delta": functional.huber_loss,
    "smooth_l1_loss_beta": functional.smooth_l1_loss,
    "mse_loss_weight": functional.mse_loss,
    "cross_entropy_labels": functional.cross_entropy,
    "cross_entropy_shares": functional.cross_entropy,
    "nll_loss_weight": functional.nll_loss,
    "max_pool2d_padded": functional.max_pool2d,
    "avg_pool2d_padded": functional.avg_pool2d,
    "unfold_patches": functional.unfold,
    "conv1d_grouped": functional.conv1d,
    "conv2d_grouped": functional.conv2d,
    "conv_transpose2d_grouped": functional.conv_transpose2d,
    "batch_norm_evaluation": functional.batch_norm,
    "layer_norm_axes": functional.layer_norm,
    "normalize_order": functional.normalize,
    "weight_norm": torch._weight_norm,
    "embedding_bag_weighted": functional.embedding_bag,
    **dict.fromkeys(INTERPOLATIONS.split(), functional.interpolate),
    "pad_reflect": partial(functional.pad, mode="reflect"),
    "pad_replicate": partial(functional.pad, mode="replicate"),
    "pad_circular": partial(functional.pad, mode="circular"),
    "pad_value": lambda x, sizes, value: functional.pad(x, sizes, value=value),
    "split_sizes": torch.split,
    "tensor_split_places": torch.tensor_split,
    "roll_several": torch.roll,
    "diagonal_axes": torch.diagonal,
    "unfold_axis": Tensor.unfold,
    "squeeze_several": torch.squeeze,
    "repeat_interleave_counts": torch.repeat_interleave,
    "reshape_as": Tensor.reshape_as,
    "expand_as": Tensor.expand_as,
    "sum_to_size": Tensor.sum_to_size,
    "mT": attrgetter("mT"),
    "masked_fill_tensor": torch.masked_fill,
    "scatter_number": torch.scatter,
    **{f"scatter_reduce_{kind}": partial(torch.scatter_reduce, reduce=kind) for kind in REDUCED},
    **{f"index_reduce_{kind}": partial(torch.index_reduce, reduce=kind) for kind in REDUCED[1:]},
    "index_add_alpha": torch.index_add,
    "sum_several": torch.sum,
    "logsumexp_several": torch.logsumexp,
    "var_several": torch.var,
    "std_several": torch.std,
    "prod_all": torch.prod,
    "max_all": torch.max,
    "min_all": torch.min,
    "median_all": torch.median,
    "sort_stable": torch.sort,
    "all_along": torch.all,
    "any_along": torch.any,
    "count_nonzero_along": torch.count_nonzero,
    "argmax_keepdim": torch.argmax,
    "argmin_keepdim": torch.argmin,
    "solve_left": partial(torch.linalg.solve, left=False),
    "lu_solve": torch.lu_solve,
    "cholesky_upper": partial(torch.linalg.cholesky, upper=True),
    "norm_nuclear": partial(torch.linalg.matrix_norm, ord="nuc"),
    "norm_spectral": partial(torch.linalg.matrix_norm, ord=2),
    "tensordot_axes": torch.tensordot,
    "norm_order": torch.norm,
    "vector_norm": torch.linalg.vector_norm,
    "matrix_norm": torch.linalg.matrix_norm,
    "round_decimals": lambda x, decimals: torch.round(x, decimals=decimals),
}
"""Functions with options that have a name of their own here."""

MORE: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(functional, name) for name in FUNCTIONAL.split()},
    **{name: getattr(torch, name) for name in TORCH.split()},
    **{name: getattr(torch.special, name) for name in SPECIAL.split()},
    **{name: getattr(torch.linalg, name) for name in LINALG.split()},
    **named(torch.linalg, NEWER),
    **{name: getattr(torch.fft, name) for name in FOURIER.split()},
    **{f"masked_{name}": getattr(torch.masked, name) for name in MASKED.split()},
    **{
        f"segment_reduce_{kind}": partial(torch.segment_reduce, reduce=kind)
        for kind in SEGMENTS.split()
    },
    **FORMS,
    **OPTIONS,
    **DENSITIES,
}
"""Every one of them."""
