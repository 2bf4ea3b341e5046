"""Normalisation: by groups, by channels, by rows, with statistics of its own or given ones."""

import numpy as np

from .arguments import Arguments
from .distances import norm
from .drawing import HALVES, NONZERO, POSITIVE, SMALL, SMALL_POSITIVE, Array, Draw, Shape
from .networks import normalised
from .operation import Operation
from .parts import floats, pick

CHANNELS: tuple[Shape, ...] = ((2, 2, 2), (1, 4, 1), (2, 2), (1, 2, 1, 2))
"""Shapes with an even number of channels on axis 1."""


def aside(x: Array, ndim: int) -> Array:
    """Let a number for each channel broadcast."""
    return x.reshape((1, -1, *(1,) * (ndim - 2)))


def by_channels(d: Draw, *shapes: Shape) -> tuple[Array, ...]:
    """Draw a batch, and what each channel is multiplied by and increased by."""
    shape = d.shape(*shapes)
    return tuple(d.array(s, HALVES) for s in (shape, shape[1:2], shape[1:2]))


def grouped(d: Draw) -> Arguments:
    """Draw a batch of channels, and in how many groups they are."""
    return Arguments(by_channels(d, *CHANNELS), (d.pick(2, 1),), {"eps": 0.25})


def group_norm(x: Array, weight: Array, bias: Array, groups: int, eps: float) -> Array:
    """Normalise each group of channels of each sample."""
    parts = x.reshape((x.shape[0], groups, -1))
    made = normalised(parts, (2,), eps).reshape(x.shape)
    return made * aside(weight, x.ndim) + aside(bias, x.ndim)


def of_instances(d: Draw) -> Arguments:
    """Draw a batch of channels with places."""
    return Arguments(by_channels(d, (2, 2, 2), (1, 3, 2), (1, 2, 2, 2)), (), {"eps": 0.25})


def instance_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Normalise each channel of each sample."""
    made = normalised(x, tuple(range(2, x.ndim)), eps)
    return made * aside(weight, x.ndim) + aside(bias, x.ndim)


def in_evaluation(d: Draw) -> Arguments:
    """Draw a batch, what channels are multiplied by and increased by, and statistics."""
    tensors = by_channels(d, (4, 2), (1, 3), (2, 2, 2))
    count = tensors[1].shape
    given = d.array(count, SMALL, fixed=True), d.array(count, SMALL_POSITIVE, fixed=True)
    return Arguments(tensors, given, {"eps": 0.25})


def with_statistics(
    x: Array, weight: Array, bias: Array, mean: Array, variance: Array, eps: float
) -> Array:
    """Normalise each channel by statistics that are given."""
    off = x - aside(mean, x.ndim)
    made = off / np.sqrt(aside(variance, x.ndim) + eps)
    return made * aside(weight, x.ndim) + aside(bias, x.ndim)


def by_factors(
    x: Array, weight: Array, bias: Array, mean: Array, variance: Array, eps: float
) -> Array:
    """Do so by one factor and one shift for each channel."""
    factor = weight / np.sqrt(variance + eps)
    return x * aside(factor, x.ndim) + aside(bias - mean * factor, x.ndim)


def rows(d: Draw) -> Arguments:
    """Draw rows, and what each entry is multiplied by; the last axis, or the last two."""
    shape = d.shape((2, 4), (3,), (1, 3), (2, 2, 3))
    last = shape[-d.pick(1, 2) :]
    return Arguments((d.array(shape, SMALL), d.array(last, HALVES)), (last,), {"eps": 0.25})


def rms_norm(x: Array, weight: Array, sizes: Shape, eps: float) -> Array:
    """Divide by the root of the mean square (Zhang & Sennrich, 2019, eq. 4)."""
    axes = tuple(range(-len(sizes), 0))
    result: Array = x / np.sqrt((x * x).mean(axes, keepdims=True) + eps) * weight
    return result


def several(d: Draw) -> Arguments:
    """Draw an array that is normalised along its last two axes."""
    shape = d.shape((2, 2, 3), (2, 3), (1, 3, 2))
    last = shape[-2:]
    return Arguments(tuple(d.array(s, HALVES) for s in (shape, last, last)), (), {"eps": 0.25})


def neighbours(d: Draw) -> Arguments:
    """Draw a batch of channels, and how many neighbours of a channel count."""
    x = d.array(d.shape((1, 4, 2), (2, 3, 1), (1, 2, 2, 2)), SMALL)
    return Arguments((x,), (d.pick(2, 3, 1),), {"alpha": 0.5, "beta": d.pick(0.75, 1.0), "k": 2.0})


def local_response(
    x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Array:
    """Divide by a power of the mean square of neighbours (Krizhevsky et al., 2012, sec. 3.3)."""
    squares = x * x
    none = np.zeros_like(squares[:, :1])
    before, after = [none] * (size // 2), [none] * ((size - 1) // 2)
    wide = np.concatenate([*before, squares, *after], 1)
    total = sum(wide[:, n : n + x.shape[1]] for n in range(size))
    result: Array = x / np.power(k + alpha / size * total, beta)
    return result


def directions(d: Draw) -> Arguments:
    """Draw an array without zeros, a norm and an axis; slices may be shorter than eps."""
    x = d.array(d.shape((2, 3), (1, 2), (2, 2, 2)), POSITIVE)
    return Arguments((x,), (d.pick(2.0, 1.0, 3.0), d.pick(0, 1, -1), d.pick(1e-12, 1024.0)))


def divided(x: Array, p: float, dim: int, eps: float) -> Array:
    """Divide by a norm, or by eps where that is larger."""
    long = norm(x, p, dim, keepdims=True)
    return x / pick(floats(long) > eps, long, eps)


def lengths_along(x: Array, dim: int) -> Array:
    """The lengths of slices along an axis, each in its place."""
    result: Array = norm(x, 2, tuple(a for a in range(x.ndim) if a != dim), keepdims=True)
    return result


def reweighted(v: Array, g: Array, dim: int) -> Array:
    """Give slices of v the lengths g (Salimans & Kingma, 2016, eq. 2)."""
    result: Array = v * (g / lengths_along(v, dim))
    return result


def lengths(d: Draw) -> Arguments:
    """Draw an array without zeros, and lengths for its slices."""
    shape, dim = d.shape((2, 3), (3, 2), (2, 2, 2)), d.pick(0, -1)
    own = tuple(n if a == dim % len(shape) else 1 for a, n in enumerate(shape))
    tensors = d.array(shape, SMALL_POSITIVE), d.array(own, SMALL)
    return Arguments(tensors, (dim % len(shape),))


def with_ends(d: Draw) -> Arguments:
    """Draw a tensor without zeros, and its first or its last axis."""
    shape = d.shape((2, 3), (3, 2), (2, 2, 3))
    return Arguments((d.array(shape, NONZERO),), (2, d.pick(0, len(shape) - 1)))


NORMALIZING = (
    Operation("group_norm", group_norm, grouped,
              call=lambda be, x, w, b, groups, eps: be.group_norm(x, groups, w, b, eps)),
    Operation("instance_norm", instance_norm, of_instances,
              call=lambda be, x, w, b, eps: be.instance_norm(
                  x, None, None, w, b, True, 0.1, eps)),
    Operation("batch_norm_evaluation", with_statistics, in_evaluation, formulas=(by_factors,),
              call=lambda be, x, w, b, mean, var, eps: be.batch_norm_evaluation(
                  x, be.tensor(mean), be.tensor(var), w, b, False, 0.1, eps)),
    Operation("rms_norm", rms_norm, rows,
              call=lambda be, x, w, sizes, eps: be.rms_norm(x, sizes, w, eps)),
    Operation("layer_norm_axes", lambda x, w, b, eps: normalised(x, (-2, -1), eps) * w + b,
              several, call=lambda be, x, w, b, eps: be.layer_norm_axes(
                  x, be.shape(w), w, b, eps)),
    Operation("local_response_norm", local_response, neighbours),
    Operation("normalize_order", divided, directions),
    Operation("weight_norm", reweighted, lengths),
    Operation("norm_except_dim", lambda x, _, dim: lengths_along(x, dim), with_ends),
)  # fmt: skip
"""Layers that normalise."""
