"""Sizes of calls with thousands of entries, where those of few entries are not to be multiplied.

They lie on both sides of what libraries go by: batches of 16, blocks of 32 rows of a matrix, 25
rows of distances, 512 keys of attention, lengths that are prime or powers of two.
"""

from typing import Any

SQUARE = (((41, 41),), ((3, 24, 24),))
HIGH = (((41, 33),), ((2, 26, 20),))
WIDE = (((33, 41),), ((2, 20, 26),))
SPREAD = (((30, 40),),)
LINE = (((4, 251),), ((2, 512),))
PLANE = (((29, 32),), ((2, 16, 25),))
ROWS = (((33, 20), (35, 20)), ((2, 26, 17), (2, 30, 17)))
COUNTED = (((40, 50), (50,)), ((300, 5), (300, 1)))

SIZES: dict[str, tuple[Any, ...]] = {
    "dot": (((1500,), (1500,)),),
    "outer": (((41,), (50,)),),
    "kron": (((8, 9), (6, 10)),),
    "cross": (((400, 3), (400, 3)),),
    "matmul_batches": (((8, 30, 9), (8, 9, 20)),),
    "meshgrid cartesian_prod": (((50,), (40,)),),
    "diagflat": (((65,),),),
    "unfold_axis gaussian_nll_loss multi_margin_loss": SPREAD,
    "det logdet slogdet inverse solve solve_left solve_triangular lu lu_solve "
    "lu_solve_sides cholesky cholesky_upper cholesky_solve cholesky_solve_upper "
    "cholesky_inverse cholesky_inverse_upper eigh eigh_upper eigvalsh eigvalsh_upper svd "
    "matrix_exp matrix_exp_scaled matrix_power matrix_power_far pinv_hermitian": SQUARE,
    "qr qr_factor qr_complete pinv lstsq lstsq_driver svdvals svd_thin norm_nuclear "
    "norm_spectral cond householder_product matrix_sqrth polar_factors": HIGH,
    "qr_wide pinv_wide lstsq_wide": WIDE,
    "pdist": (((33, 20),), ((26, 40),)),
    "cdist": ROWS,
    "pairwise_distance": (((40, 50), (40, 50)),),
    "fft ifft rfft irfft hfft ihfft": LINE,
    "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn": PLANE,
    "gradient_several": (((40, 50),),),
    "poisson_log_prob binomial_log_prob binomial_logits_log_prob bernoulli_log_prob "
    "bernoulli_logits_log_prob geometric_log_prob": COUNTED,
    "categorical_logits_log_prob": (((40,), (40, 50)),),
    "multivariate_normal_log_prob multivariate_normal_covariance_log_prob": (
        ((30, 20), (20,), (20, 20)),
    ),
    "max_unpool2d": (((3, 4, 10, 10),),),
    "max_unpool3d": (((2, 3, 5, 5, 5),),),
    "conv1d": (((18, 4, 30), (16, 4, 5)), ((2, 32, 20), (18, 32, 3))),
    "conv2d": (((18, 3, 6, 6), (16, 3, 3, 3)), ((2, 16, 8, 8), (16, 16, 3, 3))),
    "conv_transpose2d": (((18, 4, 4, 4), (4, 8, 3, 3)), ((2, 16, 5, 5), (16, 12, 2, 2))),
    "conv1d_grouped": (((4, 16, 30), (32, 8, 5), 2), ((18, 16, 8), (16, 1, 3), 16)),
    "conv2d_grouped": (((4, 8, 8, 8), (16, 4, 3, 3), 2), ((3, 16, 6, 6), (32, 1, 3, 3), 16)),
    "conv3d": (((2, 8, 5, 5, 5), (8, 8, 2, 2, 2), 1), ((2, 8, 4, 5, 5), (16, 2, 2, 3, 2), 4)),
    "conv_transpose1d": (((4, 16, 20), (16, 8, 5), 1), ((17, 16, 8), (16, 1, 3), 16)),
    "conv_transpose2d_grouped": (
        ((4, 8, 6, 6), (8, 6, 3, 3), 2),
        ((3, 16, 5, 5), (16, 1, 3, 3), 16),
    ),
    "conv_transpose3d": (((2, 8, 4, 4, 4), (8, 6, 2, 2, 2), 1),),
    "conv1d_single": (((16, 60), (18, 16, 5), (18,)),),
    "conv_transpose1d_single": (((16, 40), (16, 18, 5), (18,)),),
    "scaled_dot_product_attention": (
        ((1, 1, 20, 2), (1, 1, 600, 2), (1, 1, 600, 2)),
        ((2, 2, 70, 4), (2, 2, 65, 4), (2, 2, 65, 4)),
    ),
    "scaled_dot_product_attention_biased": (
        ((1, 2, 30, 8), (1, 2, 60, 8), (1, 2, 60, 8), (30, 60)),
    ),
    "multi_head_attention_forward": ((300, 2),),
    "embedding embedding_padded": (((1500,), 0), ((40, 30), 3000)),
    "rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell": ((20, 24, 16), (17, 5, 20)),
    "interpolate_nearest1d interpolate_nearest_exact1d interpolate_area1d interpolate_linear": (
        ((4, 5), 32),
    ),
    "interpolate_nearest2d interpolate_nearest_exact2d interpolate_area2d "
    "interpolate_bilinear interpolate_bicubic": (((2, 2), 8),),
    "interpolate_trilinear": (((1, 2), 4),),
    "pad_reflect pad_replicate pad_value": (((7, 11), (2, 3, 90)), ((5, 3, 4, 9), (2, 20, 25))),
    "pad_circular": (((7, 90), (2, 3, 90)), ((5, 3, 4, 9), (2, 20, 25))),
}
"""What is met instead of the sizes of few entries: along one axis or several, in two layouts."""

LARGE = {name: sizes for names, sizes in SIZES.items() for name in names.split()}
"""The same by name."""

TENS_OF_THOUSANDS = """
neg deg2rad rad2deg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan
asin acos atan sinh cosh tanh asinh acosh atanh erf sigmoid logsigmoid softplus silu gelu abs relu
relu6 leaky_relu elu clamp hardtanh frac floor ceil trunc round sign add sub mul div pow maximum
minimum atan2 hypot logaddexp xlogy fmod remainder where lerp addcmul addcdiv eq ne lt le gt ge
isnan heaviside floor_divide sum mean prod amax amin max min median logsumexp var std norm trace
count_nonzero all any argmax argmin cumsum cumprod softmax log_softmax sort topk argsort view
reshape flatten ravel permute transpose swapaxes swapdims t movedim moveaxis squeeze unsqueeze
narrow select unbind chunk split tensor_split hsplit vsplit dsplit diagonal diag tril triu clone
contiguous flip flipud fliplr roll tile repeat repeat_interleave pad cat concat stack hstack vstack
row_stack dstack column_stack block_diag getitem gather take_along_dim take index_select
masked_select masked_fill scatter scatter_add index_add index_copy index_fill embedding nonzero
matmul bmm mv inner baddbmm conv1d max_pool2d avg_pool2d layer_norm batch_norm normalize
cosine_similarity glu prelu mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy
binary_cross_entropy_with_logits kl_div nll_loss selu celu elu_alpha mish hardswish softsign
softshrink hardshrink threshold tanhshrink softmin softplus_beta gelu_tanh rrelu logit logit_clamped
dropout erfc ndtr lgamma i0 i0e i1 i1e sinc entr xlog1py add_alpha sub_alpha rsub div_floor
div_trunc fmax fmin copysign clamp_tensors clamp_min clamp_max nan_to_num logaddexp2 ldexp
pow_number number_pow lerp_number positive sgn round_decimals fix isfinite isinf isposinf isneginf
signbit isclose logical_and logical_or logical_xor logical_not binary_cross_entropy_weight
binary_cross_entropy_with_logits_weight kl_div_log_target huber_loss_delta smooth_l1_loss_beta
mse_loss_weight gaussian_nll_loss poisson_nll_loss margin_ranking_loss hinge_embedding_loss
soft_margin_loss cosine_embedding_loss multilabel_soft_margin_loss cross_entropy_shares renorm
max_pool1d avg_pool1d adaptive_max_pool1d adaptive_avg_pool1d lp_pool1d max_unpool1d
max_pool2d_padded avg_pool2d_padded adaptive_max_pool2d adaptive_avg_pool2d lp_pool2d max_unpool2d
max_pool3d avg_pool3d adaptive_max_pool3d adaptive_avg_pool3d max_unpool3d unfold_patches group_norm
instance_norm batch_norm_evaluation rms_norm layer_norm_axes local_response_norm normalize_order
weight_norm embedding_bag_weighted pixel_shuffle pixel_unshuffle channel_shuffle split_sizes
tensor_split_places roll_several rot90 diagonal_axes as_strided squeeze_several
repeat_interleave_counts narrow_copy reshape_as view_as mT adjoint atleast_1d atleast_2d atleast_3d
unsafe_split fftshift ifftshift broadcast_tensors nansum nanmean sum_several logsumexp_several
var_several std_several var_mean std_mean max_all min_all median_all quantile cummax cummin kthvalue
mode nanmedian aminmax msort sort_stable diff trapezoid cumulative_trapezoid gradient all_along
any_along count_nonzero_along argmax_keepdim argmin_keepdim vander vdot complex polar index_put put
masked_scatter masked_fill_tensor scatter_number
linear linear_plain mm addmm embedding_padded embedding_by_frequency bilinear
view_copy permute_copy transpose_copy t_copy squeeze_copy unsqueeze_copy
select_copy slice_copy diagonal_copy unfold_copy as_strided_copy alias_copy unbind_copy split_copy
split_with_sizes_copy unsafe_chunk unsafe_split_with_sizes
"""
"""Operations of which calls with tens of thousands of entries are true in less than 0.1 s."""
