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
    "norm_spectral cond householder_product": HIGH,
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
