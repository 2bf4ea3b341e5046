"""Methods of tinygrad's tensors by their rarer options, under gradspec's names.

A convolution of tinygrad takes no image without a batch, and what chooses an entry says no place:
these are left out.
"""

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tinygrad import Tensor, nn

NAMED = {
    "hardtanh": "bounds",
    "leaky_relu": "slope",
    "where": "numbers",
    "lerp": "wide",
    "gather": "part",
    "scatter": "part",
    "masked_select": "wide",
    "masked_fill": "wide",
    "repeat_interleave": "flat",
    "reshape": "rest",
    "view": "rest",
    "expand": "rest",
    "flatten": "ends",
    "triu": "far",
    "tril": "far",
    "fmod": "number",
    "prod": "keepdim",
    "all": "several",
    "any": "several",
    "isclose": "within",
    "max_pool2d": "axes places",
    "avg_pool2d": "axes",
}
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
    **{
        f"{name}_{form}": getattr(Tensor, name)
        for name, forms in NAMED.items()
        for form in forms.split()
    },
    "number_sub": operator.sub,
    "number_div": operator.truediv,
    "number_remainder": operator.mod,
    "remainder_number": Tensor.mod,
    "clamp_tensors_wide": bounded,
    "clamp_tensors_wider": bounded,
    "scatter_add_part": partial(Tensor.scatter_reduce, reduce="sum"),
    "argsort_stable": Tensor.argsort,
    "var_all": lambda x, dim, correction, keepdim: x.var(dim, keepdim, correction),
    "std_all": lambda x, dim, correction, keepdim: x.std(dim, keepdim, correction),
    "qr_complete": Tensor.qr,
    "svd_thin": partial(Tensor.svd, full_matrices=False),
    "layer_norm_plain": lambda x, sizes, eps: x.layernorm(tuple(range(-len(sizes), 0)), eps),
    "group_norm_plain": lambda x, groups, eps: nn.GroupNorm(groups, x.shape[1], eps, affine=False)(
        x
    ),
    "conv_transpose2d_axes": transposed_convolution,
}
"""All of them."""
