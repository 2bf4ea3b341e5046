"""Layers of MLX, under gradspec's names: functions of their parameters.

What has channels has them last; pools take no image without a batch, a dropout of everything is
refused, recurrent layers have one bias where PyTorch's have two, and `RMSNorm` knows the last axis
only: these are left out.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mlx import core as mx
from mlx import nn


def last(x: mx.array) -> mx.array:
    """Put channels last."""
    return mx.moveaxis(x, 1, -1)


def given(layer: nn.Module, **parameters: mx.array) -> Callable[..., mx.array]:
    """Let a layer have these parameters instead of its own."""
    filled: Callable[..., mx.array] = layer.update(parameters)
    return filled


def on_channels(layer: Callable[..., mx.array], x: mx.array) -> mx.array:
    """Let a layer read and write images with channels first."""
    return mx.moveaxis(layer(last(x)), -1, 1)


def batch_norm(
    x: mx.array,
    mean: mx.array | None,
    variance: mx.array | None,
    weight: mx.array,
    bias: mx.array,
    training: bool,  # noqa: FBT001
    momentum: float,
    eps: float,
) -> mx.array:
    """Normalise by the statistics of the batch, or in evaluation by those that are given."""
    known = mean is not None and variance is not None
    layer = nn.BatchNorm(weight.shape[0], eps, momentum, track_running_stats=known)
    statistics = {"running_mean": mean, "running_var": variance} if known else {}
    given(layer, weight=weight, bias=bias, **statistics)
    return on_channels(layer.train(training), x)


def group_norm(x: mx.array, groups: int, weight: mx.array, bias: mx.array, eps: float) -> mx.array:
    """Normalise groups of channels, which follow each other as in PyTorch."""
    layer = nn.GroupNorm(groups, weight.shape[0], eps, pytorch_compatible=True)
    return on_channels(given(layer, weight=weight, bias=bias), x)


def instance_norm(x: mx.array, *rest: Any) -> mx.array:
    """Normalise each channel of each sample, by its own statistics."""
    _, _, weight, bias, _, _, eps = rest
    layer = nn.InstanceNorm(weight.shape[0], eps, affine=True)
    return on_channels(given(layer, weight=weight, bias=bias), x)


def linear(x: mx.array, weight: mx.array, bias: mx.array) -> mx.array:
    """Multiply by a matrix, and add."""
    return given(nn.Linear(*weight.shape[::-1]), weight=weight, bias=bias)(x)


def bilinear(x: mx.array, y: mx.array, weight: mx.array) -> mx.array:
    """Multiply by matrices from both sides, whose axes stand in the other order."""
    out, first, second = weight.shape
    layer = nn.Bilinear(first, second, out, bias=False)
    return given(layer, weight=mx.swapaxes(weight, 1, 2))(x, y)


def unbiased(layer: Callable[..., nn.Module], into: str, back: str) -> Callable[..., Any]:
    """Let a recurrent layer without a bias take one step."""

    def call(x: mx.array, state: Any, weight: mx.array, hidden: mx.array) -> Any:
        made = layer(x.shape[-1], hidden.shape[-1], bias=False)
        states = state if isinstance(state, tuple) else (state,)
        steps = given(made, **{into: weight, back: hidden})(x[:, None], *states)
        return [each[:, 0] for each in steps] if isinstance(steps, tuple) else steps[:, 0]

    return call


def group_norm_plain(x: mx.array, groups: int, eps: float) -> mx.array:
    """Normalise groups of channels, and do no more."""
    layer = nn.GroupNorm(groups, x.shape[1], eps, affine=False, pytorch_compatible=True)
    return on_channels(layer, x)


LAYERS: Mapping[str, Callable[..., Any]] = {
    "batch_norm": batch_norm,
    "batch_norm_evaluation": batch_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "rnn_tanh_cell_plain": unbiased(nn.RNN, "Wxh", "Whh"),
    "gru_cell_plain": unbiased(nn.GRU, "Wx", "Wh"),
    "lstm_cell_plain": unbiased(nn.LSTM, "Wx", "Wh"),
    "group_norm_plain": group_norm_plain,
    "linear": linear,
    "bilinear": bilinear,
    "embedding": lambda index, weight: given(nn.Embedding(*weight.shape), weight=weight)(index),
}
"""Layers of `mlx.nn`."""
