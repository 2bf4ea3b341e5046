"""Forms of TensorFlow's functions by their rarer options, under gradspec's words."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

Tensor = Any
"""A `tf.Tensor`."""


def convolution(
    x: Tensor, weight: Tensor, bias: None, stride: Any, padding: Any, dilation: Any
) -> Tensor:
    """Convolve images, whose channels TensorFlow has last, or one without a batch."""
    del bias
    images = tf.transpose(x if x.ndim == weight.ndim else x[None], (0, 2, 3, 1))
    around = [(0, 0), *((n, n) for n in padding), (0, 0)]
    made = tf.nn.conv2d(images, tf.transpose(weight, (2, 3, 1, 0)), stride, around,
                        dilations=dilation)  # fmt: skip
    made = tf.transpose(made, (0, 3, 1, 2))
    return made if x.ndim == weight.ndim else made[0]


OPTIONS: Mapping[str, Callable[..., Any]] = {
    "prod_keepdim": tf.reduce_prod,
    "nansum_all": tnp.nansum,
    "nanmean_all": tnp.nanmean,
    "all_several": lambda x, dims, keepdim: tnp.all(x, dims, keepdims=keepdim),
    "any_several": lambda x, dims, keepdim: tnp.any(x, dims, keepdims=keepdim),
    "count_nonzero_several": tf.math.count_nonzero,
    "var_all": lambda x, dim, correction, keepdim: tnp.var(
        x, axis=dim, ddof=correction, keepdims=keepdim
    ),
    "var_unbiased": lambda x, dims, unbiased, keepdim: tnp.var(
        x, axis=dims, ddof=int(unbiased), keepdims=keepdim
    ),
    "isclose_within": tnp.isclose,
    "cross_along": lambda x, y, dim: tnp.cross(x, y, axis=dim),
    "pinv_cut": lambda x, *, rtol: tf.linalg.pinv(x, rtol),
    "qr_complete": lambda x: tf.linalg.qr(x, full_matrices=True),
    "hardtanh_bounds": tf.clip_by_value,
    "leaky_relu_slope": lambda x, slope=0.01: tf.nn.leaky_relu(x, slope),
    "conv2d_axes": convolution,
    "number_sub": operator.sub,
    "number_div": operator.truediv,
    "number_remainder": operator.mod,
    "remainder_number": tf.math.floormod,
    "fmod_number": tf.truncatemod,
    "where_numbers": tf.where,
    "clamp_tensors_wide": lambda x, min=None, max=None: tnp.clip(x, min, max),  # noqa: A006
    "clamp_tensors_wider": lambda x, min=None, max=None: tnp.clip(x, min, max),  # noqa: A006
    "take_along_dim_wide": tnp.take_along_axis,
    "repeat_interleave_flat": tf.repeat,
    "reshape_rest": tf.reshape,
    "fftshift_all": tf.signal.fftshift,
    "ifftshift_all": tf.signal.ifftshift,
    "fftn_whole": tf.signal.fftnd,
    "ifftn_whole": tf.signal.ifftnd,
    "rot90_plain": tnp.rot90,
    "triu_far": tnp.triu,
    "tril_far": tnp.tril,
}
"""All of them."""
