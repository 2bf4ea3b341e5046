"""Operations on integers and bools: which of them take these, and what dtype comes of them.

Source: PyTorch's documentation of each, and which dtypes its own database of operations names for
the CPU and for CUDA. What takes options that are fractions, or divides integers by zero, is not
here.
"""

import numpy as np

from ..protocol.subject import Subject
from .call import Call
from .drawing import Array
from .operation import Operation

FLOATS = """
deg2rad rad2deg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh
tanh asinh acosh atanh erf sigmoid clamp atan2 xlogy logsumexp softsign tanhshrink logit
logit_clamped erfc erfinv erfcx ndtr log_ndtr lgamma digamma polygamma mvlgamma zeta i0 i0e i1 i1e
sinc entr xlog1py clamp_min clamp_max ldexp pow_number number_pow cosine_embedding_loss
pairwise_distance triplet_margin_loss triplet_margin_with_distance_loss lp_pool1d lp_pool2d
lp_pool3d rnn_tanh_cell logsumexp_several trapezoid cumulative_trapezoid cov corrcoef rfft ihfft
rfft2 ihfft2 rfftn ihfftn trapezoid_places cumulative_trapezoid_places rnn_tanh_cell_plain
lp_pool2d_axes triplet_margin_loss_hinge number_sub number_remainder remainder_number fmod_number
where_numbers normal_log_prob log_normal_log_prob laplace_log_prob cauchy_log_prob
student_t_log_prob logistic_log_prob logit_relaxed_bernoulli_log_prob von_mises_log_prob
gamma_log_prob gamma_standard_log_prob chi2_log_prob exponential_log_prob half_normal_log_prob
half_cauchy_log_prob pareto_log_prob weibull_log_prob dirichlet_log_prob uniform_log_prob
categorical_logits_log_prob gamma_entropy beta_entropy dirichlet_entropy student_t_entropy
weibull_entropy categorical_logits_entropy normal_divergence laplace_divergence gamma_divergence
beta_divergence dirichlet_divergence categorical_logits_divergence normal_cdf laplace_cdf cauchy_cdf
exponential_cdf weibull_cdf weibull_icdf reciprocal div number_div copysign
"""
"""Operations that make floats of the default dtype of integers."""

WIDE = """
sum prod trace count_nonzero argmax argmin cumsum cumprod nonzero sum_several prod_all
count_nonzero_along argmax_keepdim argmin_keepdim vander searchsorted bucketize argwhere
prod_keepdim count_nonzero_several searchsorted_rows nansum nansum_all
"""
"""Operations that count, add up and multiply in int64, or name places."""

PREDICATES = """
eq ne lt le gt ge isnan all any isclose logical_and logical_or logical_xor logical_not all_along
any_along all_several any_several isfinite isinf isposinf isneginf signbit isclose_within
"""
"""Operations whose results are bools."""

KEPT = """
neg square abs relu relu6 floor ceil trunc round sign add sub mul maximum minimum fmod remainder
where heaviside amax amin max min median sort topk argsort view reshape flatten ravel unflatten
permute transpose swapaxes swapdims t movedim moveaxis squeeze unsqueeze expand broadcast_to narrow
select unbind chunk split tensor_split hsplit vsplit dsplit diagonal diag tril triu clone contiguous
flip flipud fliplr roll tile repeat repeat_interleave pad cat concat stack hstack vstack row_stack
dstack column_stack block_diag getitem gather take_along_dim take index_select masked_select scatter
scatter_add index_add index_copy embedding matmul mm bmm mv dot inner outer tensordot kron cross
matrix_power linear bilinear conv1d conv2d max_pool2d dropout div_floor div_trunc fmax fmin
clamp_tensors positive sgn fix max_pool2d_padded max_pool3d rnn_relu_cell pad_reflect pad_replicate
pad_circular pixel_shuffle pixel_unshuffle channel_shuffle split_sizes tensor_split_places
roll_several rot90 diagonal_axes diag_embed diagflat unfold_axis as_strided squeeze_several
repeat_interleave_counts narrow_copy reshape_as view_as expand_as mT adjoint atleast_1d atleast_2d
atleast_3d unsafe_split fftshift ifftshift combinations meshgrid cartesian_prod broadcast_tensors
max_all min_all median_all cummax cummin kthvalue mode nanmedian aminmax msort sort_stable diff
multi_dot vdot tensordot_axes index_put put masked_scatter masked_fill_tensor scatter_reduce_sum
scatter_reduce_prod scatter_reduce_amax scatter_reduce_amin index_reduce_prod index_reduce_amax
index_reduce_amin select_scatter slice_scatter diagonal_scatter as_strided_scatter max_keepdim
min_keepdim median_keepdim mode_keepdim aminmax_all topk_unsorted argsort_stable diff_ends
cross_along linear_plain bilinear_bias embedding_padded embedding_by_frequency max_pool2d_axes
max_pool2d_places clamp_tensors_wide clamp_tensors_wider gather_part scatter_part scatter_add_part
take_along_dim_flat take_along_dim_wide masked_select_wide masked_scatter_wide index_put_wide
index_put_mask index_fill_tensor repeat_interleave_flat reshape_rest view_rest expand_rest
flatten_ends fftshift_all ifftshift_all slice_scatter_ends diagonal_scatter_axes rot90_plain
triu_far tril_far matmul_batches kron_wide index_put_ends block_diag_mixed flip_ends permute_four
pad_reflect_corners pad_replicate_corners conv1d_single
view_copy expand_copy permute_copy transpose_copy t_copy squeeze_copy unsqueeze_copy
select_copy slice_copy diagonal_copy unfold_copy as_strided_copy alias_copy unbind_copy split_copy
split_with_sizes_copy unsafe_chunk unsafe_split_with_sizes
"""
"""Operations whose results are of the dtype of their operands."""

ON_THE_CPU = """
matmul mm bmm mv dot inner tensordot tensordot_axes matrix_power linear linear_plain bilinear
bilinear_bias conv1d conv2d conv1d_single max_pool2d max_pool2d_padded max_pool2d_axes
max_pool2d_places max_pool3d rnn_relu_cell rnn_tanh_cell rnn_tanh_cell_plain multi_dot vdot
matmul_batches lp_pool1d lp_pool2d lp_pool3d lp_pool2d_axes cov corrcoef embedding embedding_padded
embedding_by_frequency dropout pad_reflect pad_replicate pad_reflect_corners pad_replicate_corners
rfft ihfft rfft2 ihfft2 rfftn ihfftn
"""
"""Those of all these that take integers on the CPU, and need not do so elsewhere."""

OF_BOOLS = """
deg2rad rad2deg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh
tanh asinh acosh atanh erf sigmoid clamp atan2 xlogy logsumexp logit logit_clamped erfc erfinv erfcx
ndtr log_ndtr lgamma digamma polygamma zeta i0 i0e i1 i1e sinc entr xlog1py clamp_min clamp_max
ldexp pow_number number_pow cosine_embedding_loss logsumexp_several number_remainder
remainder_number fmod_number where_numbers chi2_log_prob student_t_entropy weibull_entropy
reciprocal div number_div copysign sign mul maximum minimum where heaviside amax amin max min sort
argsort view reshape flatten ravel unflatten permute transpose swapaxes swapdims t movedim moveaxis
squeeze unsqueeze expand broadcast_to narrow select unbind chunk split tensor_split hsplit vsplit
dsplit diagonal diag tril triu clone contiguous flip flipud fliplr roll tile repeat
repeat_interleave pad cat concat stack hstack vstack row_stack dstack column_stack block_diag
getitem gather take_along_dim take index_select masked_select scatter index_copy outer kron fmax
fmin sgn pad_circular pixel_shuffle pixel_unshuffle channel_shuffle split_sizes tensor_split_places
roll_several rot90 diagonal_axes diag_embed diagflat unfold_axis as_strided squeeze_several
repeat_interleave_counts narrow_copy reshape_as view_as expand_as mT adjoint atleast_1d atleast_2d
atleast_3d unsafe_split fftshift ifftshift combinations meshgrid cartesian_prod broadcast_tensors
max_all min_all cummax cummin mode aminmax msort sort_stable masked_scatter masked_fill_tensor
select_scatter slice_scatter diagonal_scatter as_strided_scatter max_keepdim min_keepdim
mode_keepdim aminmax_all argsort_stable gather_part scatter_part take_along_dim_flat
take_along_dim_wide masked_select_wide masked_scatter_wide index_fill_tensor repeat_interleave_flat
reshape_rest view_rest expand_rest flatten_ends fftshift_all ifftshift_all slice_scatter_ends
diagonal_scatter_axes rot90_plain triu_far tril_far kron_wide block_diag_mixed flip_ends
permute_four sum prod count_nonzero nonzero sum_several prod_all count_nonzero_along argwhere
prod_keepdim count_nonzero_several nansum nansum_all eq ne lt le gt ge isnan all any isclose
logical_and logical_or logical_xor logical_not all_along any_along all_several any_several isfinite
isinf isposinf isneginf signbit isclose_within
view_copy expand_copy permute_copy transpose_copy t_copy squeeze_copy unsqueeze_copy
select_copy slice_copy diagonal_copy unfold_copy as_strided_copy alias_copy unbind_copy split_copy
split_with_sizes_copy unsafe_chunk unsafe_split_with_sizes
"""
"""Those that take bools too, on every device."""

SIGNED = """
cauchy_cdf cauchy_log_prob cumulative_trapezoid_places exponential_cdf half_normal_log_prob
laplace_cdf laplace_log_prob logistic_log_prob normal_cdf normal_log_prob uniform_log_prob
von_mises_log_prob weibull_cdf beta_divergence gamma_divergence laplace_divergence normal_divergence
student_t_log_prob pairwise_distance triplet_margin_loss triplet_margin_loss_hinge
triplet_margin_with_distance_loss dirichlet_divergence logit_relaxed_bernoulli_log_prob
trapezoid_places all any all_along any_along all_several any_several
"""
"""Those where uint8 is another thing: differences wrap around, or truth is of uint8."""

DEFAULT = "float32"
"""The default dtype of floats."""

MADE = {
    name: dtype
    for names, dtype in ((FLOATS, DEFAULT), (WIDE, "int64"), (PREDICATES, "bool"), (KEPT, ""))
    for name in names.split()
}
"""What dtype comes of integers; none is named where it is theirs."""

INTEGERS = ("int64", "int32", "int16", "int8")


def dtypes_taken(operation: Operation) -> tuple[str, ...]:
    """Return the dtypes of integers, and of bools, that an operation takes."""
    name = operation.name
    unsigned = () if name in SIGNED.split() else ("uint8",)
    return (*INTEGERS, *unsigned, *(("bool",) if name in OF_BOOLS.split() else ()))


def in_integers(call: Call, dtype: str) -> Call:
    """Return a call of numbers that a dtype of integers or bools has, still as floats."""

    def whole(x: Array) -> Array:
        # There is no negative zero among integers.
        found = np.ceil(np.nan_to_num(x, nan=0.0, posinf=2.0, neginf=-2.0)) + 0.0
        held = {"u": np.abs(found), "b": (found > 0).astype(x.dtype)}
        return np.asarray(held.get(np.dtype(dtype).kind, found))

    return call.with_tensors([*map(whole, call.tensors)])


def check_integers(be: Subject, call: Call) -> None:
    """Compare what a subject computes of integers, and of bools, with the true results.

    Those that are out of range of the dtype that comes of them are not looked at, nor are inverses,
    which need fractions. Raises AssertionError.
    """
    if call.operation.name == "matrix_power" and call.arguments.options[0] < 0:
        return
    for dtype in dtypes_taken(call.operation):
        whole, made = in_integers(call, dtype), MADE[call.operation.name] or dtype
        found = whole.on(be)(*(be.tensor(x.astype(dtype)) for x in whole.tensors))
        what = f"result of {dtype}"
        if made == DEFAULT:
            be.check(found, whole.value(), what, dtype=made)
        elif _held(whole.result, made):
            be.same(found, whole.result.astype(made), what)


def check_large_integers(be: Subject, call: Call) -> None:
    """Compare entries that take all digits of their dtype with where they are to be.

    They are multiples, all by one factor, of whole numbers up to 8; of 64 bits these have more
    digits than float64. Raises AssertionError.
    """
    for dtype in dtypes_taken(call.operation):
        if dtype == "bool":
            continue
        factor = np.array(2 ** (np.iinfo(dtype).bits - 5) + 1, dtype)
        whole = in_integers(call, dtype)
        result, *large = (
            np.asarray(x.astype(dtype) * factor) for x in (whole.result, *whole.tensors)
        )
        be.same(whole.on(be)(*map(be.tensor, large)), result, f"result of {dtype}")


def _held(numbers: Array, dtype: str) -> bool:
    """Whether a dtype of integers or bools has all of these numbers, exact ones of float64."""
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    low, high = max(limits[0], -(2**53)), min(limits[1], 2**53)
    return bool(((numbers >= low) & (numbers <= high)).all())
