"""The names of the operations that claims choose from the table, where no property tells them."""

PREDICATES = """
eq ne lt le gt ge isclose isclose_within isnan isfinite isinf isposinf isneginf signbit
logical_and logical_or logical_xor logical_not all all_along all_several any any_along any_several
count_nonzero count_nonzero_along count_nonzero_several nonzero argwhere argmax argmax_keepdim
argmin argmin_keepdim searchsorted searchsorted_rows bucketize
"""
"""Operations whose results are booleans or integers."""

BY_PLACES = "argsort argsort_stable max_pool2d_places"
"""Operations that take entries from the places that another one tells."""

JUMPING = "fmod remainder floor_divide div_floor div_trunc"
"""Operations that go by a quotient that is rounded to a whole number."""

LARGEST = """
relu maximum clamp_min amax max max_all max_keepdim cummax
max_pool1d max_pool2d max_pool2d_padded max_pool2d_axes max_pool3d
adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
"""
"""Operations that choose the largest of some entries."""

SMALLEST = "minimum clamp_max amin min min_all min_keepdim cummin"
"""Operations that choose the smallest of some entries."""

CHOOSING = """
maximum minimum fmax fmin clamp_tensors amax amin max max_all max_keepdim min min_all min_keepdim
aminmax aminmax_all cummax cummin median median_all median_keepdim nanmedian nanmedian_keepdim
mode mode_keepdim kthvalue sort sort_stable msort topk topk_unsorted
max_pool1d max_pool2d max_pool2d_padded max_pool2d_axes max_pool3d adaptive_max_pool1d
adaptive_max_pool2d adaptive_max_pool2d_kept adaptive_max_pool3d
scatter_reduce_amax scatter_reduce_amin index_reduce_amax index_reduce_amin
"""
"""Operations that choose entries by their order."""

OF_EQUALS = """
where stack hstack vstack dstack column_stack dot inner cross vecdot matmul mm bmm outer kron
mse_loss_weight clamp_tensors broadcast_tensors tensordot einsum linear layer_norm
group_norm batch_norm batch_norm_evaluation rms_norm scaled_dot_product_attention
multi_head_attention_forward cat scatter_add cosine_similarity cdist cdist_orders dist
rnn_tanh_cell gru_cell lstm_cell normal_log_prob
"""
"""Operations on several tensors of numbers at large, beside the entrywise ones."""

LAID_ANEW = """
logsigmoid rrelu number_pow poisson_nll_loss margin_ranking_loss hinge_embedding_loss
soft_margin_loss
"""
"""Operations entry by entry that promise no order of memory, or take losses apart."""

KNOWN = "nan_to_num pow_number number_pow"
"""Functions of one number that may have a value where that is none."""

SHORT = """
mul square addcmul lerp relu maximum minimum clamp amax amin max min median sort topk cummax
matmul matmul_batches mm bmm mv dot inner outer addmm baddbmm einsum tensordot kron cross linear
bilinear conv1d conv1d_grouped conv2d conv2d_grouped conv3d conv_transpose1d conv_transpose2d
conv_transpose2d_grouped conv_transpose3d max_pool1d max_pool2d max_pool3d
"""
"""Operations whose results have few digits where their operands do, beside the linear ones."""

FACTORED = """
mul matmul matmul_batches mm bmm mv dot inner outer tensordot kron cross linear bilinear conv1d
conv2d conv3d conv_transpose2d prod prod_all cumprod
"""
"""Operations that are linear in each entry of what they multiply."""

MOVING = """
where view reshape flatten ravel unflatten permute transpose swapaxes swapdims t movedim moveaxis
squeeze unsqueeze expand broadcast_to narrow select unbind chunk split tensor_split hsplit vsplit
dsplit diagonal diag tril triu clone contiguous flip flipud fliplr roll tile repeat
repeat_interleave pad cat concat stack hstack vstack row_stack dstack column_stack getitem gather
take_along_dim take index_select masked_select scatter index_copy embedding positive pad_reflect
pad_replicate pad_circular pixel_shuffle pixel_unshuffle channel_shuffle roll_several rot90
diagonal_axes diag_embed diagflat unfold_axis squeeze_several narrow_copy fftshift ifftshift
masked_scatter masked_fill masked_fill_tensor masked_fill_wide index_fill index_fill_tensor
select_scatter slice_scatter diagonal_scatter where_numbers scatter_number pad_value block_diag
gather_part scatter_part take_along_dim_wide masked_select_wide masked_scatter_wide flip_ends
triu_far tril_far permute_four view_copy expand_copy permute_copy transpose_copy t_copy
squeeze_copy unsqueeze_copy select_copy slice_copy diagonal_copy unfold_copy alias_copy unbind_copy
split_copy split_with_sizes_copy unsafe_chunk unsafe_split_with_sizes
"""
"""Operations each entry of whose result is an entry of a tensor, or a constant."""

SUMMING = """
neg add sub sum sum_several sum_to_size mean trace cumsum
masked_sum masked_mean segment_reduce_sum segment_reduce_mean
scatter_add scatter_add_part scatter_reduce_sum scatter_reduce_mean index_add index_add_alpha
index_reduce_mean index_put index_put_wide index_put_mask index_put_ends put
diff diff_ends gradient gradient_edges gradient_several
avg_pool1d avg_pool2d avg_pool2d_padded avg_pool2d_axes avg_pool3d
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool2d_kept adaptive_avg_pool3d
unfold_patches unfold_patches_axes fold fold_axes max_unpool1d max_unpool2d max_unpool3d
interpolate_nearest1d interpolate_nearest2d interpolate_nearest_exact1d
interpolate_nearest_exact2d interpolate_area1d interpolate_area2d nll_loss nll_loss_weight
repeat_interleave_counts repeat_interleave_flat expand_as meshgrid cartesian_prod combinations
matmul matmul_batches mm bmm mv dot inner outer einsum tensordot
tensordot_axes kron cross linear vdot vecdot
"""
"""Operations each of whose results adds up some entries, with factors that are not zero."""

SCORING = """
mse_loss l1_loss smooth_l1_loss huber_loss mse_loss_weight smooth_l1_loss_beta huber_loss_delta
gaussian_nll_loss poisson_nll_loss margin_ranking_loss hinge_embedding_loss soft_margin_loss
cosine_embedding_loss multilabel_soft_margin_loss multi_margin_loss multilabel_margin_loss
cross_entropy binary_cross_entropy_with_logits triplet_margin_loss
"""
"""Losses of which every score is a term, or is compared with what makes one."""

SORTING = "sort sort_stable msort topk topk_unsorted kthvalue"
"""Operations that put entries in order, of which nan is the last."""

ELIMINATED = "det slogdet inverse solve solve_vector matrix_power pinv"
"""Operations on matrices whose rows may stand in any order."""

OF_NO_AXIS = """
cross diagonal masked_scatter masked_scatter_wide max_all min_all nanmean_all nansum_all
as_strided_scatter prod_all put repeat_interleave_flat rot90_plain norm_except_dim squeeze
squeeze_copy std tensordot tensordot_axes trace var_all weight_norm where_numbers
"""
"""Operations that could be told axes, or not by number, of which no call with many entries is."""

OF_FEW_AXES = """
trace t diag block_diag embedding mm bmm mv dot outer addmm baddbmm tensordot linear
bilinear conv1d conv2d conv_transpose2d max_pool2d avg_pool2d prelu nll_loss cross_entropy
cross_entropy_shares multi_margin_loss multilabel_margin_loss pdist max_pool1d avg_pool1d
adaptive_max_pool1d adaptive_avg_pool1d lp_pool1d max_unpool1d max_pool2d_padded
avg_pool2d_padded adaptive_max_pool2d adaptive_avg_pool2d lp_pool2d max_unpool2d unfold_patches
embedding_bag embedding_bag_weighted grid_sample affine_grid combinations meshgrid
cartesian_prod gradient cov corrcoef multi_dot vdot as_strided_scatter cov_weighted
linear_plain bilinear_bias embedding_padded embedding_by_frequency
embedding_shortened embedding_bag_padded embedding_bag_last max_pool2d_axes max_pool2d_places
avg_pool2d_axes lp_pool2d_axes adaptive_avg_pool2d_kept adaptive_max_pool2d_kept
max_unpool2d_sized unfold_patches_axes clamp_tensors_wider addmm_wide
baddbmm_wide permute_four pad_reflect_corners pad_replicate_corners conv1d_single
conv_transpose1d_single group_norm_half embedding_bag_empty expand broadcast_to einsum
cosine_embedding_loss ctc_loss fold conv1d_grouped conv_transpose1d multi_head_attention_forward
rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell interpolate_nearest1d interpolate_nearest_exact1d
interpolate_area1d interpolate_linear pad_reflect pad_replicate pad_circular pad_value expand_as
sum_to_size tensorinv vecdot tensordot_axes addmv addr addbmm nanmean_all count_nonzero_several
gradient_edges searchsorted_rows addmm_nothing baddbmm_nothing addbmm_nothing addmv_nothing
addr_nothing cross_along matrix_norm_along tensorinv_several solve_vector
cosine_similarity_along cosine_similarity_eps multi_head_attention_masked
multi_head_attention_extended multi_head_attention_separate rnn_tanh_cell_plain gru_cell_plain
lstm_cell_plain lp_pool1d_ceil fold_axes affine_grid_aligned gaussian_nll_loss_eps ctc_loss_row
ctc_loss_joined ctc_loss_impossible triplet_margin_loss_hinge gather_part scatter_part
scatter_add_part take_along_dim_wide masked_select_wide masked_fill_wide masked_scatter_wide
index_put_wide reshape_rest view_rest expand_rest block_diag_mixed
multivariate_normal_log_prob multivariate_normal_covariance_log_prob categorical_logits_log_prob
poisson_log_prob binomial_log_prob binomial_logits_log_prob bernoulli_log_prob
bernoulli_logits_log_prob geometric_log_prob expand_copy t_copy
"""
"""Operations on tensors of a number of axes that is given, or of which no more axes are drawn."""

NEVER_HOLLOW = """
amax amin dot outer tensordot det conv_transpose2d max_pool2d avg_pool2d
cosine_embedding_loss ctc_loss cross_entropy_labels
nll_loss_weight multilabel_margin_loss matrix_norm max_pool1d avg_pool1d lp_pool1d
max_pool2d_padded avg_pool2d_padded adaptive_max_pool2d lp_pool2d max_pool3d avg_pool3d
adaptive_max_pool3d lp_pool3d unfold_patches fold conv1d_grouped conv2d_grouped conv3d
conv_transpose1d conv_transpose2d_grouped conv_transpose3d group_norm
multi_head_attention_forward rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell embedding_bag
embedding_bag_weighted interpolate_nearest1d interpolate_nearest2d interpolate_nearest_exact1d
interpolate_nearest_exact2d interpolate_area1d interpolate_area2d interpolate_linear
interpolate_bilinear interpolate_trilinear interpolate_bicubic pad_reflect pad_replicate
pad_circular pad_value as_strided expand_as sum_to_size combinations meshgrid cartesian_prod
max_all min_all median_all norm_spectral cond tensorinv vecdot vdot tensordot_axes addmv addr
addbmm irfft2 hfft2 irfftn hfftn put select_scatter as_strided_scatter aminmax_all nanmean_all
quantile_all cov_weighted gradient_edges addmm_nothing baddbmm_nothing addbmm_nothing
addmv_nothing addr_nothing cross_along matrix_norm_along tensorinv_several solve_vector
cosine_similarity_along cosine_similarity_eps multi_head_attention_masked
multi_head_attention_extended multi_head_attention_separate rnn_tanh_cell_plain gru_cell_plain
lstm_cell_plain embedding_shortened conv2d_axes conv3d_axes conv_transpose2d_axes max_pool2d_axes
avg_pool2d_axes lp_pool2d_axes lp_pool1d_ceil adaptive_max_pool2d_kept unfold_patches_axes
fold_axes interpolate_scaled interpolate_rescaled affine_grid_aligned grid_sample_volume
gaussian_nll_loss_eps ctc_loss_row ctc_loss_joined ctc_loss_impossible triplet_margin_loss_hinge
gather_part scatter_part scatter_add_part take_along_dim_flat take_along_dim_wide
masked_select_wide masked_fill_wide masked_scatter_wide index_put_wide reshape_rest view_rest
expand_rest fftn_whole ifftn_whole householder_product_few index_put_ends block_diag_mixed
pad_reflect_corners pad_replicate_corners conv1d_single conv_transpose1d_single
scaled_dot_product_attention_biased interpolate_antialiased interpolate_antialiased_thin
interpolate_antialiased_cubic interpolate_antialiased_lanczos
categorical_logits_divergence categorical_logits_entropy categorical_logits_log_prob
dirichlet_divergence as_strided_copy eig eigvals tensorsolve segment_reduce_max segment_reduce_min
"""
"""Operations of which no call with an empty axis beside others is drawn, or none means anything."""

NEVER_VAST = """
unflatten einsum tensordot ctc_loss multilabel_margin_loss norm_order vector_norm matrix_norm dist
triplet_margin_loss triplet_margin_with_distance_loss fold embedding_bag grid_sample affine_grid
diag_embed expand_as sum_to_size combinations tensorinv vecdot tensordot_axes addmv addr addbmm
nanmean_all count_nonzero_several cov_weighted gradient_edges searchsorted_rows cdist_orders
addmm_nothing baddbmm_nothing addbmm_nothing addmv_nothing addr_nothing cross_along pinv_cut
matrix_norm_along cond_order cond_singular tensorinv_several solve_vector cosine_similarity_along
cosine_similarity_eps multi_head_attention_masked multi_head_attention_extended
multi_head_attention_separate rnn_tanh_cell_plain gru_cell_plain lstm_cell_plain
embedding_shortened conv2d_axes conv3d_axes conv_transpose2d_axes lp_pool1d_ceil
max_unpool2d_sized fold_axes interpolate_scaled interpolate_rescaled affine_grid_aligned
grid_sample_volume gaussian_nll_loss_eps ctc_loss_row ctc_loss_joined ctc_loss_impossible
triplet_margin_loss_hinge gather_part scatter_part scatter_add_part take_along_dim_wide
masked_select_wide masked_fill_wide masked_scatter_wide index_put_wide reshape_rest view_rest
expand_rest kron_wide matrix_norm_singular householder_product_few block_diag_mixed
interpolate_antialiased interpolate_antialiased_thin interpolate_antialiased_cubic
interpolate_antialiased_lanczos eig eigvals ormqr tensorsolve
"""
"""Operations whose tensors have a few entries, whatever is drawn."""

ROUNDED_OFTEN = """
bernoulli_logits_divergence_wide cross matrix_power batch_norm cosine_similarity tanhshrink logit
logit_clamped ndtr gaussian_nll_loss renorm adaptive_avg_pool3d instance_norm batch_norm_plain
batch_norm_evaluation batch_norm_half rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell
interpolate_bicubic cov corrcoef matrix_exp matrix_exp_scaled matrix_power_far trapezoid
trapezoid_places cumulative_trapezoid cumulative_trapezoid_places scaled_dot_product_attention
scaled_dot_product_attention_biased multi_head_attention_forward masked_logsumexp masked_softmax
masked_log_softmax masked_softmin masked_var masked_std masked_normalize huber_loss huber_loss_delta
smooth_l1_loss_beta i0e prod prod_all prod_keepdim masked_prod bilinear bilinear_bias smooth_l1_loss
mse_loss_weight lp_pool1d lp_pool2d lp_pool2d_axes multi_dot index_put index_add index_add_alpha
index_reduce_mean index_reduce_prod diff_ends segment_reduce_sum segment_reduce_mean
segment_reduce_prod softsign mvlgamma
"""
"""Operations that PyTorch puts together of several, or of steps, each of which rounds to 16 bits.

So are all that its distributions compute.
"""

DISTRIBUTED = ("_log_prob", "_entropy", "_divergence", "_cdf", "_icdf")
"""How the names of those end."""

REFUSED_HOLLOW = """
var std conv1d conv2d batch_norm multi_margin_loss adaptive_avg_pool1d max_unpool1d
adaptive_avg_pool2d max_unpool2d adaptive_avg_pool3d max_unpool3d instance_norm
batch_norm_evaluation grid_sample affine_grid channel_shuffle var_several std_several var_mean
std_mean quantile gradient cov solve_triangular solve_left lu_solve cholesky_solve
householder_product lstsq qr var_all std_all var_unbiased std_unbiased var_mean_unbiased
std_mean_unbiased gradient_several
vector_norm_orders cholesky_solve_upper lu_solve_sides lstsq_driver adaptive_avg_pool2d_kept
max_unpool2d_sized clamp_tensors_wider norm_orders group_norm_half batch_norm_half
multivariate_normal_log_prob pdist nanquantile
"""
"""Operations that PyTorch refuses to do without entries, or of which there is nothing to expect.

The backward pass of `pdist` reads memory beyond its own there, which ends the process by chance:
https://github.com/pytorch/pytorch/issues/197099.
"""

OF_IMAGES = """
relu mean softmax log_softmax pad conv2d conv_transpose2d max_pool2d avg_pool2d layer_norm
batch_norm normalize cross_entropy_labels nll_loss_weight max_pool2d_padded avg_pool2d_padded
adaptive_max_pool2d adaptive_avg_pool2d lp_pool2d max_unpool2d max_pool3d avg_pool3d
adaptive_avg_pool3d lp_pool3d max_unpool3d unfold_patches conv2d_grouped conv3d
conv_transpose2d_grouped conv_transpose3d group_norm instance_norm batch_norm_evaluation rms_norm
layer_norm_axes local_response_norm normalize_order interpolate_nearest2d
interpolate_nearest_exact2d interpolate_area2d interpolate_bilinear interpolate_trilinear
interpolate_bicubic grid_sample pixel_shuffle pixel_unshuffle channel_shuffle prelu_channels
layer_norm_plain rms_norm_plain group_norm_plain batch_norm_plain instance_norm_given conv2d_axes
conv_transpose2d_axes max_pool2d_axes avg_pool2d_axes lp_pool2d_axes
adaptive_avg_pool2d_kept adaptive_max_pool2d_kept max_unpool2d_sized unfold_patches_axes
interpolate_scaled interpolate_rescaled pad_reflect_corners pad_replicate_corners layer_norm_half
group_norm_half batch_norm_half interpolate_antialiased conv2d_options conv3d_options
conv_transpose2d_options conv_transpose3d_options max_pool2d_options adaptive_max_pool2d_options
avg_pool2d_options adaptive_avg_pool2d_options lp_pool2d_options max_pool3d_options
adaptive_max_pool3d_options avg_pool3d_options adaptive_avg_pool3d_options lp_pool3d_options
unfold_patches_options layer_norm_options rms_norm_options instance_norm_options
local_response_norm_options normalize_options interpolate_options
"""
"""Operations on images with channels, of which there are calls with several of both."""

TOLD_BY_ARRAYS = """
where getitem gather take_along_dim take index_select masked_select masked_fill scatter
scatter_add index_add index_copy index_fill embedding nll_loss binary_cross_entropy_weight
binary_cross_entropy_with_logits_weight mse_loss_weight poisson_nll_loss margin_ranking_loss
hinge_embedding_loss soft_margin_loss cosine_embedding_loss multilabel_soft_margin_loss ctc_loss
cross_entropy_labels cross_entropy_shares nll_loss_weight multi_margin_loss multilabel_margin_loss
max_unpool1d max_unpool2d max_unpool3d batch_norm_evaluation scaled_dot_product_attention
embedding_bag embedding_bag_weighted repeat_interleave_counts quantile index_put put
masked_scatter masked_fill_tensor scatter_number scatter_reduce_sum scatter_reduce_prod
scatter_reduce_mean scatter_reduce_amax scatter_reduce_amin index_reduce_mean index_reduce_prod
index_reduce_amax index_reduce_amin index_add_alpha cov_weighted gradient_several
searchsorted_rows batch_norm_plain instance_norm_given multi_head_attention_masked
embedding_padded embedding_by_frequency embedding_shortened embedding_bag_padded
embedding_bag_last max_unpool2d_sized l1_loss_weight ctc_loss_row ctc_loss_joined
ctc_loss_impossible where_numbers gather_part scatter_part scatter_add_part take_along_dim_flat
take_along_dim_wide masked_select_wide masked_fill_wide masked_scatter_wide index_put_wide
index_put_mask index_fill_tensor index_put_ends embedding_bag_empty uniform_log_prob
poisson_log_prob binomial_log_prob binomial_logits_log_prob negative_binomial_log_prob
bernoulli_log_prob bernoulli_logits_log_prob geometric_log_prob categorical_logits_log_prob
masked_sum masked_mean masked_prod masked_amax masked_amin masked_median masked_var masked_norm
masked_logsumexp masked_softmax masked_log_softmax masked_cumsum masked_cumprod
segment_reduce_sum segment_reduce_mean segment_reduce_prod segment_reduce_max segment_reduce_min
"""
"""Operations that are given indices, masks, labels or weights that are no tensors of theirs."""

OF_WIDTHS = """
where cat concat stack hstack vstack row_stack dstack column_stack
"""
"""Operations that broadcast nothing, or are no functions of numbers, and take several dtypes."""

TOLD_BY_INT32 = """
index_select index_add index_add_alpha embedding embedding_padded embedding_bag
embedding_bag_weighted
"""
"""Operations that take indices of 32 bits."""
