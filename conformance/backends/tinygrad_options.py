"""Methods of tinygrad's tensors by their rarer options, under gradspec's names.

A convolution of tinygrad takes no image without a batch, and what chooses an entry says no place:
these are left out.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from tinygrad import Tensor, nn

from .names import named

NAMED = """
hardtanh_bounds=hardtanh leaky_relu_slope=leaky_relu where_numbers=where lerp_wide=lerp
gather_part=gather scatter_part=scatter masked_select_wide=masked_select
masked_fill_wide=masked_fill repeat_interleave_flat=repeat_interleave reshape_rest=reshape
view_rest=view expand_rest=expand flatten_ends=flatten triu_far=triu tril_far=tril fmod_number=fmod
prod_keepdim=prod all_several=all any_several=any isclose_within=isclose max_pool2d_axes=max_pool2d
max_pool2d_places=max_pool2d avg_pool2d_axes=avg_pool2d remainder_number=mod argsort_stable=argsort
qr_complete=qr
"""
"""Methods that take what PyTorch's functions take, and what their forms are called."""


def bounded(x: Tensor, **known: Tensor) -> Tensor:
    """Move to the nearest point between bounds, of which there is one or two."""
    return x.clamp(known.get("min"), known.get("max"))


def transposed_convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    more: Any,
    groups: int,
    dilation: Any,
) -> Tensor:
    """Spread along each axis in its own way."""
    return x.conv_transpose2d(weight, bias, groups, stride, dilation, padding, more)


OPTIONS: Mapping[str, Callable[..., Any]] = {
    **named(Tensor, NAMED),
    "number_sub": operator.sub,
    "number_div": operator.truediv,
    "number_remainder": operator.mod,
    "clamp_tensors_wide": bounded,
    "clamp_tensors_wider": bounded,
    "scatter_add_part": lambda x, dim, index, src: x.scatter_reduce(dim, index, src, reduce="sum"),
    "var_all": lambda x, dim, correction, keepdim: x.var(dim, keepdim, correction),
    "std_all": lambda x, dim, correction, keepdim: x.std(dim, keepdim, correction),
    "svd_thin": lambda x: x.svd(full_matrices=False),
    "layer_norm_plain": lambda x, sizes, eps: x.layernorm(tuple(range(-len(sizes), 0)), eps),
    "group_norm_plain": lambda x, groups, eps: nn.GroupNorm(groups, x.shape[1], eps, affine=False)(
        x
    ),
    "conv_transpose2d_axes": transposed_convolution,
}
"""All of them."""
