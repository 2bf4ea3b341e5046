"""What layers and losses compute, as sums over entries.

Images are (n, channels, rows, columns). The formulas are those of Dumoulin & Visin, "A guide to
convolution arithmetic for deep learning" (arXiv:1603.07285), sections 2 to 5, and of Goodfellow,
Bengio & Courville, "Deep Learning" (2016), sections 6.2 and 9.1. Values may be complex: a choice
between them is made by their real parts, so that a derivative can be had by complex step.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Pair = tuple[int, int]


def linear(x: Array, weight: Array, bias: Array) -> Array:
    """Return x W^T + b along the last axis of `x`; `weight` is (outputs, inputs)."""
    return x @ weight.T + bias


def relu(x: Array) -> Array:
    """Return x where its real part is positive, else 0."""
    return x * (x.real > 0)


def windows(
    x: Array,
    size: Pair,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
    border: float = 0,
) -> Array:
    """Cut windows out of images padded with `border`: (n, channels, rows, columns, *size).

    A window that would not fit is left out.
    """
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)), constant_values=border)
    rows, columns = (
        step * np.arange((length - apart * (taps - 1) - 1) // step + 1)[:, None]
        + apart * np.arange(taps)
        for length, taps, step, apart in zip(padded.shape[2:], size, stride, dilation, strict=True)
    )
    return padded[:, :, rows[:, None, :, None], columns[None, :, None, :]]


def conv2d(x: Array, weight: Array, bias: Array, groups: int = 1, **where: Any) -> Array:
    """Return the cross-correlation of images with kernels (outputs, channels / groups, *size).

    `where` are the stride, padding and dilation of `windows`. Each group of outputs sees its own
    group of channels.
    """
    cut = windows(x, weight.shape[2:], **where)
    apart = cut.reshape(len(x), groups, -1, *cut.shape[2:])
    kernels = weight.reshape(groups, -1, *weight.shape[1:])
    out: Array = np.einsum("ngchwij,gocij->ngohw", apart, kernels)
    return out.reshape(len(x), -1, *cut.shape[2:4]) + bias[:, None, None]


def conv2d_weight_gradient(
    x: Array, weight: Array, cotangent: Array, groups: int = 1, **where: Any
) -> Array:
    """Return the gradient of `conv2d` for its kernels; of `weight` only the shape counts."""
    cut = windows(x, weight.shape[2:], **where)
    apart = cut.reshape(len(x), groups, -1, *cut.shape[2:])
    g = cotangent.reshape(len(x), groups, -1, *cut.shape[2:4])
    gradient: Array = np.einsum("ngchwij,ngohw->gocij", apart, g)
    return gradient.reshape(weight.shape)


def conv2d_input_gradient(
    x: Array, weight: Array, cotangent: Array, groups: int = 1, **where: Any
) -> Array:
    """Return the gradient of `conv2d` for its images; of `x` only the shape counts."""
    numbers = np.arange(x.size).reshape(x.shape)
    cut = windows(numbers, weight.shape[2:], border=x.size, **where)
    g = cotangent.reshape(len(x), groups, -1, *cut.shape[2:4])
    kernels = weight.reshape(groups, -1, *weight.shape[1:])
    terms = np.einsum("ngohw,gocij->ngchwij", g, kernels)
    # Whatever fell on the border is counted under a number of its own, and dropped.
    return np.bincount(cut.ravel(), terms.ravel(), x.size + 1)[:-1].reshape(x.shape)


def max_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> Array:
    """Return the largest entry of each window; the stride is the window unless it is given."""
    cut = windows(x, size, stride or size)
    flat = cut.reshape(*cut.shape[:4], -1)
    places = flat.real.argmax(-1)[..., None]
    return np.take_along_axis(flat, places, -1)[..., 0]


def max_pool2d_gradient(
    x: Array, cotangent: Array, size: Pair, stride: Pair | None = None
) -> Array:
    """Return the gradient of `max_pool2d` where no window has two largest entries."""
    ranks = x.ravel().argsort().argsort().reshape(x.shape)
    places = x.ravel().argsort()[max_pool2d(ranks, size, stride)]
    return np.bincount(places.ravel(), cotangent.ravel(), x.size).reshape(x.shape)


def cross_entropy_terms(z: Array, targets: Array, weights: Array) -> Array:
    """Return numbers whose sum is the weighted cross entropy of softmax(z) and `targets`.

    Both are (n, classes), and a row of targets sums to 1; `weights` (n, 1) say what a row counts
    for. A row's cross entropy is log(sum(e^z)) - sum(targets * z), the logarithm being taken after
    the largest entry was split off.
    """
    top = z.real.max(-1, keepdims=True)
    rest = np.log(np.exp(z - top).sum(-1, keepdims=True))
    terms: Array = weights * np.concatenate([top, rest, -targets * z], -1)
    return terms


def softmax(z: Array) -> Array:
    """Return e^z over its sum along the last axis."""
    powers = np.exp(z - z.real.max(-1, keepdims=True))
    shares: Array = powers / powers.sum(-1, keepdims=True)
    return shares


def perceptron(x: Array, *parameters: Array) -> Array:
    """Apply affine maps (weight, bias, weight, bias, ...) with a relu between one and the next."""
    *inner, weight, bias = parameters
    for w, b in zip(inner[::2], inner[1::2], strict=True):
        x = relu(linear(x, w, b))
    return linear(x, weight, bias)


def lenet(x: Array, *parameters: Array) -> Array:
    """Return the scores of the notes' convolutional net, given its ten parameters in order."""
    for weight, bias in (parameters[:2], parameters[2:4]):
        x = max_pool2d(relu(conv2d(x, weight, bias)), (2, 2))
    return perceptron(x.reshape(len(x), -1), *parameters[4:])


def log_softmax(x: Any) -> Any:
    """Take the logarithm of the shares of scores along the last axis."""
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def adaptive_log_softmax(
    x: Any, head: Any, bias: Any, tails: Sequence[Any], cutoffs: Sequence[int]
) -> Any:
    """Return the logarithms of shares of all classes, of which the rarer ones come in clusters.

    Grave et al., "Efficient softmax approximation for GPUs" (ICML 2017): the head scores the first
    classes and each cluster, and a cluster those that are in it, by two maps in `tails`.
    """
    first = log_softmax(x @ head.T + bias)
    short, parts = cutoffs[0], [first[:, : cutoffs[0]]]
    for n, (inner, outer) in enumerate(zip(tails[::2], tails[1::2], strict=True)):
        within = log_softmax((x @ inner.T) @ outer.T)
        parts.append(within + first[:, short + n : short + n + 1])
    return np.concatenate(parts, 1)


def damped(x: Any, size: int, *, alpha: float, beta: float, k: float) -> Any:
    """Divide channels, on axis 1, by a power of the squares of an odd number around each of them.

    Krizhevsky, Sutskever & Hinton, "ImageNet Classification" (NIPS 2012), section 3.3, with the
    mean of squares in place of their sum.
    """
    count = x.shape[1]
    near = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) <= size // 2
    squares = np.einsum("dc,ncij->ndij", near.astype(float), x * x)
    return x / (k + alpha / size * squares) ** beta
