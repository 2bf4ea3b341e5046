"""Forms of functions by their rarer options.

A form has a word of its own, so that a library may have a function without all of its options. What
a form does not say is as in the function that its word begins with.
"""

NETWORKS_OPTIONED = """
conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
max_pool1d max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
lp_pool1d lp_pool2d lp_pool3d max_unpool1d max_unpool2d max_unpool3d fold
mse_loss l1_loss huber_loss smooth_l1_loss binary_cross_entropy binary_cross_entropy_with_logits
kl_div gaussian_nll_loss poisson_nll_loss multilabel_soft_margin_loss cosine_embedding_loss
margin_ranking_loss triplet_margin_loss cross_entropy nll_loss multi_margin_loss
multilabel_margin_loss ctc_loss
layer_norm rms_norm group_norm batch_norm instance_norm local_response_norm normalize
scaled_dot_product_attention multi_head_attention_forward embedding embedding_bag
interpolate grid_sample affine_grid pad
softmax log_softmax pairwise_distance pdist bilinear
"""
"""Functions of `torch.nn.functional` that have a form with all of their options."""

SPECTRA_OPTIONED = """
fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2
fftn ifftn rfftn irfftn hfftn ihfftn
"""
"""The same, of Fourier transforms."""

MATRICES_OPTIONED = """
lu lu_factor lu_solve solve solve_triangular cholesky qr svd svdvals eigh eigvalsh lstsq pinv
multi_dot cross vecdot matrix_power vander vector_norm matrix_norm tensorsolve
"""
"""The same, of linear algebra: by the names and defaults of `torch.linalg`."""

MORE_OPTIONED = """
stft istft cholesky_solve cholesky_inverse einsum tensordot addmm baddbmm addbmm addmv addr norm
cdist sum mean nansum nanmean logsumexp amax amin prod var std var_mean std_mean
cumsum cumprod logcumsumexp max min median nanmedian mode kthvalue cummax cummin topk sort quantile
diff trapezoid cumulative_trapezoid gradient dist cov corrcoef renorm
scatter_reduce index_reduce index_add diagonal diag_embed diag diagflat triu tril
roll rot90 repeat_interleave as_strided cat addcmul addcdiv ldexp
"""
"""More of the same."""

FORMS = {
    # ---- reductions ------------------------------------------------------------------------------
    "prod_keepdim": "prod(x, dim, keepdim)",
    "max_keepdim": "max(x, dim, keepdim): values and places",
    "min_keepdim": "min(x, dim, keepdim): values and places",
    "median_keepdim": "median(x, dim, keepdim): values and places",
    "mode_keepdim": "mode(x, dim, keepdim): values and places",
    "nanmedian_keepdim": "nanmedian(x, dim, keepdim): values and places",
    "aminmax_all": "aminmax(x): the smallest and the largest entry of all",
    "nansum_all": "nansum(x): of all that is a number",
    "nanmean_all": "nanmean(x): of all that is a number",
    "all_several": "all(x, dims, keepdim)",
    "any_several": "any(x, dims, keepdim)",
    "count_nonzero_several": "count_nonzero(x, dims)",
    "topk_unsorted": "topk(x, k, dim, largest, sorted=False): in any order, with places",
    "argsort_stable": "argsort(x, stable=True, dim, descending)",
    "var_all": "var(x, dim=None, correction, keepdim): of all entries",
    "std_all": "std(x, dim=None, correction, keepdim): of all entries",
    "var_unbiased": "var(x, dim, unbiased, keepdim): with a correction of 1 or of 0",
    "std_unbiased": "std(x, dim, unbiased, keepdim): with a correction of 1 or of 0",
    "var_mean_unbiased": "var_mean(x, dim, unbiased, keepdim): the same, and the mean",
    "std_mean_unbiased": "std_mean(x, dim, unbiased, keepdim): the same, and the mean",
    "quantile_all": "quantile(x, q, keepdim=False, interpolation): of all entries",
    "cov_weighted": "cov(x, correction, fweights, aweights): columns that count more than once",
    "diff_ends": "diff(x, n, dim, prepend, append): of x between two other tensors",
    "trapezoid_places": "trapezoid(y, x, dim): above the places x",
    "cumulative_trapezoid_places": "cumulative_trapezoid(y, x, dim): above the places x",
    "gradient_edges": "gradient(x, spacing, dim, edge_order=2), in a list: parabolas at the ends",
    "gradient_several": "gradient(x, spacing, dims), in a list: a slope for each axis",
    "isclose_within": "isclose(x, y, rtol, atol, equal_nan): |x - y| <= atol + rtol * |y|",
    "searchsorted_rows": "searchsorted(x, y, side, sorter): in each row, ordered by sorter",
    "vector_norm_orders": "vector_norm of order 0, the number of entries that are not 0, or below",
    "cdist_orders": "cdist of order 0, the number of entries that differ, or of another",
    # ---- matrices --------------------------------------------------------------------------------
    "addmm_nothing": "addmm with beta=0, which ignores the summand even where it is no number",
    "baddbmm_nothing": "baddbmm with beta=0, which ignores the summand even where it is no number",
    "addbmm_nothing": "addbmm with beta=0, which ignores the summand even where it is no number",
    "addmv_nothing": "addmv with beta=0, which ignores the summand even where it is no number",
    "addr_nothing": "addr with beta=0, which ignores the summand even where it is no number",
    "cross_along": "linalg.cross(x, y, dim)",
    "linear_plain": "linear without a bias",
    "bilinear_bias": "bilinear with a bias",
    "cholesky_solve_upper": "cholesky_solve(b, upper factor, upper=True)",
    "cholesky_inverse_upper": "cholesky_inverse(upper factor, upper=True)",
    "lu_solve_sides": "linalg.lu_solve(factors, exchanges, b, left, adjoint)",
    "pinv_hermitian": "pinv(x, hermitian=True)",
    "pinv_cut": "pinv(x, rtol): without the singular values below rtol times the largest",
    "qr_wide": "qr of a matrix with more columns than rows",
    "qr_factor": "qr(x, mode='r'): nothing, and the triangular factor",
    "qr_complete": "qr(x, mode='complete'): square, and one with rows of zeros",
    "svd_thin": "svd(x, full_matrices=False)",
    "eigh_upper": "eigh(x, UPLO='U'): by the upper triangle alone",
    "eigvalsh_upper": "eigvalsh(x, UPLO='U'): by the upper triangle alone",
    "matrix_norm_along": "matrix_norm(x, order, dims, keepdim)",
    "cond_order": "cond(x, order): the norm of x times that of its inverse",
    "cond_singular": "cond(x, order) of the orders 'nuc', 2 and -2, which are of singular values",
    "lstsq_driver": "lstsq(a, b, driver): however it is computed",
    "tensorinv_several": "tensorinv(x, ind) where several axes are mapped to one",
    "solve_vector": "solve(a, b) of a vector b",
    # ---- layers ----------------------------------------------------------------------------------
    "hardtanh_bounds": "hardtanh(x, low, high)",
    "leaky_relu_slope": "leaky_relu(x, slope=0.01)",
    "prelu_channels": "prelu(x, weight) of any rank: axis 1 is that of channels",
    "conv2d_axes": "conv2d with a stride, a padding and a dilation for each axis, without a bias",
    "conv3d_axes": "conv3d with a stride, a padding and a dilation for each axis, without a bias",
    "conv_transpose2d_axes": "conv_transpose2d with options for each axis, without a bias",
    "max_pool2d_axes": "max_pool2d with a size, a stride and a padding for each axis",
    "max_pool2d_places": "max_pool2d(x, size, return_indices=True): with the places in an image",
    "avg_pool2d_axes": "avg_pool2d with a size, a stride and a padding for each axis",
    "lp_pool2d_axes": "lp_pool2d with a size and a stride for each axis",
    "lp_pool1d_ceil": "lp_pool1d(..., ceil_mode=True): with what is left at the end",
    "max_unpool2d_sized": "max_unpool2d(x, index, size, stride, padding): into a size of its own",
    "adaptive_avg_pool2d_kept": "adaptive_avg_pool2d(x, sizes), where None keeps an axis as it is",
    "adaptive_max_pool2d_kept": "adaptive_max_pool2d(x, sizes), where None keeps an axis as it is",
    "unfold_patches_axes": "nn.functional.unfold with options for each axis",
    "fold_axes": "fold with options for each axis",
    "interpolate_scaled": "interpolate(x, None, factor, mode): its steps are 1 / factor",
    "interpolate_rescaled": "interpolate(x, None, factor, mode, recompute_scale_factor=True)",
    "affine_grid_aligned": "affine_grid(theta, sizes, align_corners=True), of volumes too",
    "grid_sample_volume": "grid_sample of volumes",
    "layer_norm_plain": "layer_norm(x, shape): without weight and bias",
    "batch_norm_plain": "batch_norm(x, mean, variance, training=...): without weight and bias",
    "group_norm_plain": "group_norm(x, groups): without weight and bias",
    "instance_norm_given": "instance_norm(x, mean, variance, use_input_stats=False)",
    "rms_norm_plain": "rms_norm(x, shape, eps=...): without a weight",
    "cosine_similarity_along": "cosine_similarity(x, y, dim, eps): along any axis",
    "cosine_similarity_eps": "cosine_similarity(x, y, dim, eps): no length counts less than eps",
    "multi_head_attention_masked": "with attn_mask, key_padding_mask, average_attn_weights=False",
    "multi_head_attention_extended": "with bias_k, bias_v and add_zero_attn",
    "multi_head_attention_separate": "with weights of their own for queries, keys and values",
    "gru_cell_plain": "gru_cell without biases",
    "lstm_cell_plain": "lstm_cell without biases",
    "rnn_tanh_cell_plain": "rnn_tanh_cell without biases",
    "embedding_padded": "embedding(index, table, padding_idx): that row has no gradient",
    "embedding_by_frequency": "embedding(..., scale_grad_by_freq=True): gradients over counts",
    "embedding_shortened": "embedding(..., max_norm, norm_type): rows asked for, shortened",
    "embedding_bag_padded": "embedding_bag(index of rows, table, mode, padding_idx)",
    "embedding_bag_last": "embedding_bag(..., include_last_offset=True)",
    "l1_loss_weight": "l1_loss(x, y, weight=...): its mean is over the weights",
    "gaussian_nll_loss_eps": "gaussian_nll_loss(x, y, var, eps): of variances of at least eps",
    "ctc_loss_row": "ctc_loss of scores without a batch",
    "ctc_loss_joined": "ctc_loss of labels in one row, one sample after the other",
    "ctc_loss_impossible": "ctc_loss(..., zero_infinity): of labels too many for their times",
    "triplet_margin_loss_hinge": "triplet_margin_loss of what is far apart, and of what is not",
    # ---- shapes and places -----------------------------------------------------------------------
    "number_sub": "2 - x: a number less a tensor",
    "number_div": "2 / x: a number over a tensor",
    "number_remainder": "remainder(2, x) of a number and a tensor",
    "remainder_number": "remainder(x, 2) of a tensor and a number",
    "fmod_number": "fmod(x, 2) of a tensor and a number",
    "where_numbers": "where(condition, x, 2) and where(condition, 2, x)",
    "clamp_tensors_wide": "clamp with tensors for bounds that broadcast; one may be missing",
    "clamp_tensors_wider": "clamp with tensors for bounds, of which one is wider than x",
    "lerp_wide": "lerp of three tensors that broadcast",
    "addcmul_wide": "addcmul of three tensors that broadcast",
    "addcdiv_wide": "addcdiv of three tensors that broadcast",
    "gather_part": "gather with an index that is smaller than x along other axes",
    "scatter_part": "scatter with an index and src that are smaller than x along other axes",
    "scatter_add_part": "scatter_add with an index and src that are smaller than x",
    "take_along_dim_flat": "take_along_dim(x, index): of all entries in one row",
    "take_along_dim_wide": "take_along_dim(x, index, dim) of shapes that broadcast",
    "masked_select_wide": "masked_select with a mask that broadcasts with x",
    "masked_fill_wide": "masked_fill with a mask that broadcasts to x",
    "masked_scatter_wide": "masked_scatter with a mask that broadcasts to x",
    "index_put_wide": "index_put with values that broadcast to the places",
    "index_put_mask": "index_put where a mask says which entries",
    "index_fill_tensor": "index_fill(x, dim, index, y) with a number in a tensor",
    "repeat_interleave_flat": "repeat_interleave(x, n): of all entries in one row",
    "reshape_rest": "reshape(x, sizes), of which -1 stands for what is left",
    "view_rest": "view(x, *sizes), of which -1 stands for what is left",
    "expand_rest": "expand(x, *sizes), where -1 keeps a size",
    "flatten_ends": "flatten(x, start_dim, end_dim), counted from the end",
    "fftshift_all": "fftshift(x, dims) along several axes, or all of them",
    "ifftshift_all": "ifftshift(x, dims) along several axes, or all of them",
    "fftn_whole": "fftn(x): along all axes",
    "ifftn_whole": "ifftn(x): along all axes",
    "slice_scatter_ends": "slice_scatter from an end, or beyond it",
    "diagonal_scatter_axes": "diagonal_scatter between any two axes",
    "rot90_plain": "rot90(x): a quarter of a turn in the plane of the first two axes",
    "triu_far": "triu(x, diagonal), of any diagonal",
    "tril_far": "tril(x, diagonal), of any diagonal",
    # ---- rarer ones ------------------------------------------------------------------------------
    "addmm_wide": "addmm with a summand that broadcasts to the product",
    "baddbmm_wide": "baddbmm with a summand that broadcasts to the products",
    "matmul_batches": "matmul of batches that broadcast, where either has fewer axes or one of 1",
    "kron_wide": "kron of tensors with different numbers of axes",
    "matrix_power_far": "matrix_power below -1 and above 3",
    "norm_orders": "norm(x, p, dim, keepdim) of orders below 1",
    "matrix_norm_singular": "matrix_norm(x, order) of the orders 'nuc', 2 and -2",
    "householder_product_few": "householder_product of fewer reflections than columns",
    "pinv_wide": "pinv of a matrix with more columns than rows",
    "lstsq_wide": "lstsq of more unknowns than equations: the shortest solution",
    "index_put_ends": "index_put at places counted from the end",
    "block_diag_mixed": "block_diag of matrices, vectors and numbers",
    "flip_ends": "flip(x, dims), several of them and counted from the end",
    "permute_four": "permute(x, dims) of four axes",
    "pad_reflect_corners": "pad_reflect on all four sides of images",
    "pad_replicate_corners": "pad_replicate on all four sides of images",
    "conv1d_single": "conv1d(x, w, b, stride, padding) of one sample without an axis for samples",
    "conv_transpose1d_single": "conv_transpose1d(x, w, b, stride, padding) of one sample",
    "layer_norm_half": "layer_norm with weights or a bias, not both",
    "group_norm_half": "group_norm with weights or a bias, not both",
    "batch_norm_half": "batch_norm in training with weights or a bias, not both",
    "scaled_dot_product_attention_biased": "attention with a mask of floats that has a gradient",
    "interpolate_antialiased": "interpolate_bilinear to smaller sizes with antialias",
    "interpolate_antialiased_thin": "interpolate_bilinear to images of one column with antialias",
    "interpolate_antialiased_cubic": "interpolate_bicubic to smaller sizes with antialias",
    "interpolate_antialiased_lanczos": "interpolate_antialiased by a Lanczos filter of width 3",
    "embedding_bag_by_frequency": "embedding_bag whose gradients are scaled as by embedding",
    "embedding_bag_empty": "embedding_bag of bags of which some are empty",
    # ---- all options at once ---------------------------------------------------------------------
    **{
        f"{name}_options": f"{name} with any of its options"
        for names in (NETWORKS_OPTIONED, SPECTRA_OPTIONED, MATRICES_OPTIONED, MORE_OPTIONED)
        for name in names.split()
    },
    "unfold_patches_options": "unfold_patches with any of its options",
    "matrix_norm_singular_options": "matrix_norm of the orders 'nuc', 2 and -2, along any axes",
    "sort_stable_options": "sort(x, stable=True, dim, descending): also where entries are equal",
    "dist_count_options": "dist of order 0: how many entries differ",
    "unfold_axis_options": "unfold_axis with windows that overlap, touch or leave gaps",
}
"""Every form, and what it is."""

SEVERAL_OF_FORMS = """
max_keepdim min_keepdim median_keepdim mode_keepdim nanmedian_keepdim aminmax_all topk_unsorted
gradient_edges gradient_several qr_wide qr_factor qr_complete svd_thin eigh_upper lstsq_driver
max_pool2d_places lstm_cell_plain multi_head_attention_masked multi_head_attention_extended
multi_head_attention_separate lstsq_wide
"""
"""Forms that return several tensors."""
