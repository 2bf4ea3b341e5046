"""Layers of MLX, under gradspec's names: functions of their parameters.

What has channels has them last; a dropout of everything is refused, and it is left out. Recurrent
layers have one bias where PyTorch's have two: they are given the sum. Norms know the last axis
only: several are made one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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


def biased(
    layer: Callable[..., nn.Module], into: str, back: str, joined: Callable[..., Any]
) -> Callable[..., Any]:
    """Let a recurrent layer take one step, with biases joined to what it has."""

    def call(
        x: mx.array, state: Any, weight: mx.array, hidden: mx.array, a: mx.array, b: mx.array
    ) -> Any:
        made = layer(x.shape[-1], hidden.shape[-1])
        states = state if isinstance(state, tuple) else (state,)
        known = {into: weight, back: hidden, **joined(a, b)}
        steps = given(made, **known)(x[:, None], *states)
        return [each[:, 0] for each in steps] if isinstance(steps, tuple) else steps[:, 0]

    return call


def of_gates(a: mx.array, b: mx.array) -> Mapping[str, mx.array]:
    """Join the biases of two gates, and keep those of the third apart."""
    size = a.shape[0] // 3 * 2
    return {"b": mx.concatenate([a[:size] + b[:size], a[size:]]), "bhn": b[size:]}


def summed(a: mx.array, b: mx.array) -> Mapping[str, mx.array]:
    """Join all biases."""
    return {"bias": a + b}


def along_last(norm: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """Let what normalises along the last axis do so along several, which are made one."""

    def call(x: mx.array, sizes: Sequence[int], *parts: mx.array | None, eps: float) -> mx.array:
        rows = x.reshape((*x.shape[: x.ndim - len(sizes)], math.prod(sizes)))
        flat = [None if part is None else part.reshape(-1) for part in parts]
        return norm(rows, *flat, eps).reshape(x.shape)

    return call


def layer_norm(
    x: mx.array,
    sizes: Sequence[int],
    weight: mx.array | None = None,
    bias: mx.array | None = None,
    eps: float = 1e-5,
) -> mx.array:
    """Normalise, and move."""
    return along_last(mx.fast.layer_norm)(x, sizes, weight, bias, eps=eps)


def rms_norm(
    x: mx.array, sizes: Sequence[int], weight: mx.array | None = None, eps: float | None = None
) -> mx.array:
    """Divide by the root of the mean square, by default with the width of numbers beside it."""
    eps = mx.finfo(x.dtype).eps if eps is None else eps
    return along_last(mx.fast.rms_norm)(x, sizes, weight, eps=eps)


def bilinear_bias(x: mx.array, y: mx.array, weight: mx.array, bias: mx.array) -> mx.array:
    """Multiply by matrices from both sides, and add."""
    out, first, second = weight.shape
    layer = nn.Bilinear(first, second, out)
    return given(layer, weight=mx.swapaxes(weight, 1, 2), bias=bias)(x, y)


LAYERS: Mapping[str, Callable[..., Any]] = {
    "batch_norm": batch_norm,
    "batch_norm_evaluation": batch_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "rnn_tanh_cell_plain": unbiased(nn.RNN, "Wxh", "Whh"),
    "gru_cell_plain": unbiased(nn.GRU, "Wx", "Wh"),
    "lstm_cell_plain": unbiased(nn.LSTM, "Wx", "Wh"),
    "rnn_tanh_cell": biased(nn.RNN, "Wxh", "Whh", summed),
    "rnn_relu_cell": biased(partial(nn.RNN, nonlinearity=nn.relu), "Wxh", "Whh", summed),
    "gru_cell": biased(nn.GRU, "Wx", "Wh", of_gates),
    "lstm_cell": biased(nn.LSTM, "Wx", "Wh", summed),
    "group_norm_plain": group_norm_plain,
    **{f"layer_norm{form}": layer_norm for form in ("", "_plain", "_half", "_axes", "_options")},
    **{f"rms_norm{form}": rms_norm for form in ("", "_plain", "_options")},
    "linear": linear,
    "bilinear": bilinear,
    "bilinear_bias": bilinear_bias,
    "embedding": lambda index, weight: given(nn.Embedding(*weight.shape), weight=weight)(index),
}
"""Layers of `mlx.nn`."""
