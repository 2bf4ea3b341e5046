"""More functions of tinygrad, under gradspec's names.

Layers of `tinygrad.nn` are functions of their parameters here: they are given those of the call. A
pool or a convolution of tinygrad goes by the name of two dimensions, and takes any number of them;
what undoes a pool asks for a batch of channels, and is left out.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tinygrad import Context, Tensor, nn

from .names import named
from .tinygrad_options import OPTIONS

METHODS = """
celu mish hardswish hardsigmoid softsign softmin selu copysign
isfinite isinf isclose logical_not
nll_loss cross_entropy meshgrid cummax cummin var_mean std_mean view
"""
"""Methods of a tensor that take what PyTorch's functions take."""

REDUCED = ("sum", "prod", "mean", "amax", "amin")
"""What entries that go to one place may come to."""

INTERPOLATIONS = {
    "interpolate_nearest1d": "nearest",
    "interpolate_nearest2d": "nearest",
    "interpolate_nearest_exact1d": "nearest-exact",
    "interpolate_nearest_exact2d": "nearest-exact",
    "interpolate_linear": "linear",
    "interpolate_bilinear": "linear",
    "interpolate_trilinear": "linear",
}
"""What tinygrad calls a way to interpolate, along one axis or several."""

RENAMED = """
elu_alpha=elu remainder=mod clamp_tensors=clamp clamp_min=clamp pow_number=pow lerp_number=lerp
binary_cross_entropy=binary_crossentropy binary_cross_entropy_with_logits=binary_crossentropy_logits
nll_loss_weight=nll_loss normalize_order=normalize broadcast_to=expand split_sizes=split
roll_several=roll diagonal_axes=diagonal unfold_axis=unfold masked_fill_tensor=masked_fill
scatter_number=scatter sum_several=sum var_several=var std_several=std prod_all=prod max_all=max
min_all=min all_along=all any_along=any argmax_keepdim=argmax argmin_keepdim=argmin
"""
"""Other names of methods that take what PyTorch's functions take."""

FORMS: Mapping[str, Callable[..., Any]] = {
    **named(Tensor, RENAMED),
    "floor_divide": partial(Tensor.div, rounding_mode="floor"),
    "div_floor": partial(Tensor.div, rounding_mode="floor"),
    "div_trunc": partial(Tensor.div, rounding_mode="trunc"),
    "pad_reflect": partial(Tensor.pad, mode="reflect"),
    "pad_replicate": partial(Tensor.pad, mode="replicate"),
    "pad_circular": partial(Tensor.pad, mode="circular"),
    **{
        f"scatter_reduce_{kind}": partial(function, reduce=kind)
        for function in named(Tensor, "scatter_reduce").values()
        for kind in REDUCED
    },
}
"""Functions that have another name, or options that have a name of their own here."""


def interpolation(theirs: str) -> Callable[..., Tensor]:
    """Let tinygrad interpolate in a way of its own, which PyTorch's mode stands for."""

    def call(
        x: Tensor, sizes: tuple[int, ...], *, align_corners: bool | None, **mode: str
    ) -> Tensor:
        del mode
        return x.interpolate(sizes, theirs, bool(align_corners))

    return call


def sort_stable(x: Tensor, dim: int, *, descending: bool, **stable: bool) -> Any:
    """Sort: the order of equal entries is always kept."""
    del stable
    return x.sort(dim, descending)


SPELLED: Mapping[str, Callable[..., Any]] = {
    "gelu": lambda x: x.gelu("none"),
    "gelu_tanh": lambda x: x.gelu("tanh"),
    "clamp_max": lambda x, high: x.clamp(None, high),
    "number_pow": lambda x, y: y.pow(x, reverse=True),
    "isposinf": lambda x: x.isinf(detect_negative=False),
    "isneginf": lambda x: x.isinf(detect_positive=False),
    "normalize": lambda x, dim=1: x.normalize(dim=dim),
    "linear": lambda x, weight, bias: x.linear(weight.transpose(), bias),
    "pad_value": lambda x, sizes, value: x.pad(sizes, value=value),
    "sort_stable": sort_stable,
    "svd": lambda x: x.svd(full_matrices=False),
    **{name: interpolation(theirs) for name, theirs in INTERPOLATIONS.items()},
}
"""Functions that take their arguments in another way."""


def reduced_qr(x: Tensor) -> tuple[Tensor, Tensor]:
    """Leave out of the complete factors what a matrix with fewer columns does not need."""
    q, r = x.qr()
    n = x.shape[-1]
    return q[..., :n], r[..., :n, :]


def dropout(x: Tensor, p: float, training: bool) -> Tensor:  # noqa: FBT001
    """Drop entries as the global mode says."""
    with Context(TRAINING=int(training)):
        return x.dropout(p)


# ---- windows -------------------------------------------------------------------------------------


def convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int = 1,
    padding: int | str = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve along as many axes as there are; only layers know the word `same`."""
    if padding == "same":
        padding = nn.Conv2d(1, 1, weight.shape[2:], stride, "same", dilation).padding
    none = padding == "valid"
    return x.conv2d(weight, bias, groups, stride, dilation, 0 if none else padding)


def transposed_convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: int,
    padding: int,
    more: int,
    groups: int,
    dilation: int,
) -> Tensor:
    """Spread along as many axes as there are."""
    return x.conv_transpose2d(weight, bias, groups, stride, dilation, padding, more)


def pool(function: Callable[..., Any], axes: int) -> Callable[..., Any]:
    """Let a size of windows that is one number count for so many axes."""

    def pooled(x: Any, size: int | tuple[int, ...], *rest: Any, **named: Any) -> Any:
        sizes = size if isinstance(size, tuple) else (size,) * axes
        return function(x, sizes, *rest, **named)

    return pooled


WINDOWS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(["conv1d", "conv1d_grouped", "conv2d_grouped", "conv3d"], convolution),
    **dict.fromkeys(
        ["conv_transpose1d", "conv_transpose2d_grouped", "conv_transpose3d"],
        transposed_convolution,
    ),
    "avg_pool1d": pool(Tensor.avg_pool2d, 1),
    "max_pool1d": pool(Tensor.max_pool2d, 1),
    "max_pool2d_padded": pool(Tensor.max_pool2d, 2),
    "max_pool3d": pool(Tensor.max_pool2d, 3),
}
"""What goes from one window to the next."""

# ---- layers --------------------------------------------------------------------------------------


def given(layer: Any, **parameters: Tensor) -> Any:
    """Let a layer have these parameters instead of its own."""
    for name, value in parameters.items():
        setattr(layer, name, value)
    return layer


def batch_norm(
    x: Tensor,
    mean: Tensor | None,
    variance: Tensor | None,
    weight: Tensor,
    bias: Tensor,
    training: bool,  # noqa: FBT001
    momentum: float,
    eps: float,
) -> Tensor:
    """Normalise by the statistics of the batch, or in evaluation by those that are given."""
    layer = nn.BatchNorm(weight.shape[0], eps, True, mean is not None, momentum)
    if mean is not None and variance is not None:
        given(layer, running_mean=mean, running_var=variance)
    with Context(TRAINING=int(training)):
        result: Tensor = given(layer, weight=weight, bias=bias)(x)
        return result


def layer_norm(x: Tensor, shape: Any, weight: Tensor, bias: Tensor, eps: float) -> Any:
    """Normalise along the last axes."""
    return given(nn.LayerNorm(tuple(shape), eps), weight=weight, bias=bias)(x)


def group_norm(x: Tensor, groups: int, weight: Tensor, bias: Tensor, eps: float) -> Any:
    """Normalise groups of channels."""
    return given(nn.GroupNorm(groups, weight.shape[0], eps), weight=weight, bias=bias)(x)


def instance_norm(x: Tensor, *rest: Any) -> Any:
    """Normalise each channel of each sample, by its own statistics."""
    _, _, weight, bias, _, _, eps = rest
    return given(nn.InstanceNorm(weight.shape[0], eps), weight=weight, bias=bias)(x)


def lstm_cell(
    x: Tensor, states: tuple[Tensor, Tensor], w: Tensor, u: Tensor, a: Tensor, b: Tensor
) -> Any:
    """Take one step of long short-term memory."""
    layer = nn.LSTMCell(x.shape[1], states[0].shape[1])
    return given(layer, weight_ih=w, weight_hh=u, bias_ih=a, bias_hh=b)(x, states)


LAYERS: Mapping[str, Callable[..., Any]] = {
    "batch_norm": batch_norm,
    "batch_norm_evaluation": batch_norm,
    "layer_norm": layer_norm,
    "layer_norm_axes": layer_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "lstm_cell": lstm_cell,
    "embedding": lambda index, weight: given(nn.Embedding(*weight.shape), weight=weight)(index),
}
"""Layers of `tinygrad.nn`."""

MORE: Mapping[str, Callable[..., Any]] = {
    **named(Tensor, METHODS),
    **FORMS,
    **SPELLED,
    "qr": reduced_qr,
    "dropout": dropout,
    **WINDOWS,
    **LAYERS,
    **OPTIONS,
}
"""Every one of them."""
