"""Other ways to write a function of MLX: methods, operators, names, layers, compositions."""

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from mlx import core as mx
from mlx import nn

from .mlx_layers import given, last, on_channels
from .mlx_more import places
from .names import named
from .numpy_spellings import Methods, in_ours
from .operators import OPERATORS
from .windows import spread

Function = Callable[..., Any]

NEW = """
arccos=acos arccosh=acosh arcsin=asin arcsinh=asinh arctan=atan arctanh=atanh arctan2=atan2
power=pow concatenate=concat transpose=permute_dims conj=conjugate cumsum=cumulative_sum
cumprod=cumulative_prod
"""
"""Functions of `mlx.core` by NumPy's names, and what else they are called there."""

NN = "sigmoid tanh softmax"
"""Functions of `mlx.nn` by names that `mlx.core` has as well."""

LAYERS: Mapping[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "relu6": nn.ReLU6,
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "silu": nn.SiLU,
    "gelu": nn.GELU,
    "gelu_tanh": lambda: nn.GELU("tanh"),
    "elu": nn.ELU,
    "selu": nn.SELU,
    "mish": nn.Mish,
    "hardswish": nn.Hardswish,
    "softplus": nn.Softplus,
    "softsign": nn.Softsign,
    "logsigmoid": nn.LogSigmoid,
}
"""Layers without parameters."""


def layer(kind: Callable[..., nn.Module]) -> Function:
    """Make a layer, and call it."""
    return lambda x, *rest: kind(*rest)(x)


# ---- what is behind a function -------------------------------------------------------------------


def convolution(
    x: mx.array,
    weight: mx.array,
    bias: mx.array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> mx.array:
    """Convolve by what knows any number of axes, with kernels and images turned around."""
    axes = weight.ndim - 2
    turned = last(weight)[(slice(None), *[slice(None, None, -1)] * axes)]
    ways = [list(spread(each, axes)) for each in (stride, padding, dilation)]
    images = last(x[None] if x.ndim < weight.ndim else x)
    made = mx.conv_general(images, turned, *ways, 1, groups, True)
    made = mx.moveaxis(made if bias is None else made + bias, -1, 1)
    return made[0] if x.ndim < weight.ndim else made


def normalised(x: mx.array, _: Any, weight: mx.array, bias: mx.array, eps: float) -> mx.array:
    """Normalise along the last axis by a layer."""
    return given(nn.LayerNorm(x.shape[-1], eps), weight=weight, bias=bias)(x)


def scaled(x: mx.array, _: Any, weight: mx.array, eps: float) -> mx.array:
    """Divide by the root of the mean square by a layer."""
    size = weight.size
    rows = x.reshape((*x.shape[: x.ndim - weight.ndim], size))
    return given(nn.RMSNorm(size, eps), weight=weight.reshape(size))(rows).reshape(x.shape)


def gathered(x: mx.array, y: mx.array) -> mx.array:
    """Multiply matrices that stand in batches by what chooses them first, which is of float32."""
    if min(x.ndim, y.ndim) < 3 or x.dtype != mx.float32:
        return x @ y
    batch = mx.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    leads = [z.shape[:-2] for z in (x, y)]
    which = [mx.broadcast_to(mx.arange(math.prod(n)).reshape(n), batch) for n in leads]
    return mx.gather_mm(x, y, *which)


def updated(
    x: mx.array, src: mx.array, dim: int, start: int | None, end: int | None, step: int
) -> mx.array:
    """Write a slice at a place that an array tells, entry after entry."""
    for n, at in enumerate(range(x.shape[dim])[start:end:step]):
        part = mx.take(src, mx.array([n]), axis=dim)
        x = mx.slice_update(x, part, mx.array([at]), [dim])
    return x


def letters(axes: Iterable[int]) -> str:
    """Name axes."""
    return "".join("abcdefgh"[n] for n in axes)


BEHIND: Mapping[str, Function] = {
    **{f"conv{n}d{form}": convolution for n in (1, 2) for form in ("", "_axes")},
    "conv1d_single": convolution,
    "conv3d_axes": convolution,
    "layer_norm": normalised,
    "rms_norm": scaled,
    "matmul_batches": gathered,
    "slice_scatter": updated,
    "gather": lambda x, dim, index: mx.take_along_axis(x, index, axis=dim),
    "index_select": lambda x, dim, index: mx.moveaxis(mx.moveaxis(x, dim, 0)[index], 0, dim),
    "take_along_dim": lambda x, index, dim: x[places(index, dim)],
    "softmax": lambda x, dim: mx.softmax(x, axis=dim, precise=True),
    "square": lambda x: x * x,
    "permute": lambda x, dims: mx.einsum(
        f"{letters(range(x.ndim))}->{letters(n % x.ndim for n in dims)}", x
    ),
    "group_norm_plain": lambda x, groups, eps: on_channels(
        nn.GroupNorm(groups, x.shape[1], eps, affine=True, pytorch_compatible=True), x
    ),
}
"""What computes the same in another way."""


WAYS: Mapping[str, Mapping[str, Function]] = {
    "method": in_ours(Methods(mx.array)),
    "operator": {
        **OPERATORS,
        "pow_number": operator.pow,
        "number_pow": operator.pow,
        "remainder_number": operator.mod,
        "number_remainder": operator.mod,
    },
    "alias": in_ours(SimpleNamespace(**named(mx, NEW))),
    "nn": in_ours(SimpleNamespace(**named(nn, NN))),
    "layer": {name: layer(kind) for name, kind in LAYERS.items()},
    "composed": BEHIND,
}
"""Ways to write, by a word."""


def spellings_of(name: str, function: Function) -> Mapping[str, Function]:
    """Return other ways to write a function, by a word for each."""
    found = {word: ways[name] for word, ways in WAYS.items() if name in ways}
    return {word: other for word, other in found.items() if other is not function}
