"""What networks are made of: layers as functions, and losses."""

import math
from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..strategies.arrays import table_of
from ..truth.oracles.elementary import sigmoid
from .arguments import Arguments, Drawing, alike
from .drawing import ANY, HALVES, POSITIVE, SMALL, SMALL_POSITIVE, UNIT, Array, Draw, Shape
from .operation import Operation
from .parts import softened
from .reductions import log_shares

# ---- layers --------------------------------------------------------------------------------------


def linear_layer(d: Draw) -> Arguments:
    """Draw inputs, weights and a bias."""
    x, weight, bias = d.shapes(
        ((2, 3), (4, 3), (4,)),
        ((3,), (2, 3), (2,)),
        ((0, 3), (2, 3), (2,)),
        ((2, 1, 2), (1, 2), (1,)),
        ((2, 2), (2, 2), (2,)),
        ((1, 3), (2, 3), (2,)),
        ((1, 1, 2), (3, 2), (3,)),
        ((2, 1, 2, 3), (2, 3), (2,)),
    )
    return Arguments(tuple(d.array(shape, SMALL) for shape in (x, weight, bias)))


def windows(x: Array, sizes: Shape, stride: int) -> Array:
    """View the last axes as windows of `sizes`, every `stride` entries."""
    axes = tuple(range(x.ndim - len(sizes), x.ndim))
    every = (Ellipsis, *[slice(None, None, stride)] * len(sizes), *[slice(None)] * len(sizes))
    view: Array = sliding_window_view(x, sizes, axis=axes)[every]  # type: ignore[index]
    return view


def padded(x: Array, size: int, axes: int) -> Array:
    """Put zeros around the last axes."""
    return np.pad(x, [(0, 0)] * (x.ndim - axes) + [(size, size)] * axes)


def convolution(x: Array, weight: Array, bias: None, stride: int, padding: int) -> Array:
    """Cross-correlate images, channels first, with kernels."""
    del bias
    axes = x.ndim - 2
    seen = windows(padded(x, padding, axes), weight.shape[2:], stride)
    letters = "xyz"[:axes]
    result: Array = np.einsum(f"bc{letters.upper()}{letters},oc{letters}->bo{letters.upper()}",
                              seen, weight)  # fmt: skip
    return result


def filtered(*shapes: tuple[Shape, Shape]) -> Drawing:
    """Draw images and kernels, with strides and zeros around."""

    def draw(d: Draw) -> Arguments:
        x, weight = d.shapes(*shapes)
        return Arguments(
            (d.array(x, SMALL), d.array(weight, SMALL)), (None, d.pick(1, 2), d.pick(0, 1))
        )

    return draw


def transposed_convolution(x: Array, weight: Array, bias: None, stride: int) -> Array:
    """The adjoint of convolution in its images.

    Raises ValueError if there is not a kernel for each channel.
    """
    del bias
    if len(weight) != x.shape[1]:
        raise ValueError(f"{len(weight)} kernels are not for {x.shape[1]} channels")
    rows, columns = (
        stride * (n - 1) + k for n, k in zip(x.shape[2:], weight.shape[2:], strict=True)
    )
    made = np.zeros_like(x, shape=(len(x), weight.shape[1], rows, columns))
    for i in range(weight.shape[2]):
        for j in range(weight.shape[3]):
            place = (
                slice(i, i + stride * x.shape[2], stride),
                slice(j, j + stride * x.shape[3], stride),
            )
            made[(slice(None), slice(None), *place)] += np.einsum(
                "bcxy,co->boxy", x, weight[:, :, i, j]
            )
    return made


def spread_out(d: Draw) -> Arguments:
    """Draw images, kernels, and a stride."""
    x, weight = d.shapes(((1, 1, 2, 2), (1, 1, 2, 2)), ((2, 1, 1, 2), (1, 2, 2, 1)))
    return Arguments((d.array(x, SMALL), d.array(weight, SMALL)), (None, d.pick(1, 2)))


def images(d: Draw) -> Arguments:
    """Draw images, and the size of the windows that they are cut into."""
    x = d.array(d.shape((1, 1, 4, 4), (1, 2, 2, 4), (2, 1, 2, 2), (2, 2, 2)))
    return Arguments((x,), (d.pick(2, 1),))


def running_mean(x: Array, axes: tuple[int, ...]) -> Array:
    """The mean, updated by the last entry: also where it is exact it is rounded (Welford, 1962)."""
    along = {axis % x.ndim for axis in axes}
    last = x[tuple(slice(-1 if axis in along else None, None) for axis in range(x.ndim))]
    count = math.prod(x.shape[axis] for axis in along)
    before = (x.sum(axes, keepdims=True) - last) / max(1, count - 1)
    result: Array = before + (last - before) / max(1, count)
    return result


def normalised(x: Array, axes: tuple[int, ...], eps: float) -> Array:
    """Without mean, and with a variance of one."""
    off = x - running_mean(x, axes)
    result: Array = off / np.sqrt((off * off).mean(axes, keepdims=True) + eps)
    return result


def layer_normalised(d: Draw) -> Arguments:
    """Draw rows of entries, and what each entry is multiplied by and increased by."""
    shape = d.shape((2, 4), (1, 3), (4,), (2, 2, 3), (1, 3, 3))
    last = shape[-1:]
    tensors = (d.array(shape, HALVES), d.array(last, HALVES), d.array(last, HALVES))
    return Arguments(tensors, (), {"eps": 0.25})


def layer_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Normalise along the last axis."""
    return normalised(x, (-1,), eps) * weight + bias


def batch_normalised(d: Draw) -> Arguments:
    """Draw a batch, and what each channel is multiplied by and increased by."""
    shape = d.shape((4, 2), (3, 1), (2, 2, 3), (3, 2, 1), (1, 2, 2))
    channels = shape[1:2]
    tensors = (d.array(shape, HALVES), d.array(channels, HALVES), d.array(channels, HALVES))
    return Arguments(tensors, (), {"eps": 0.25})


def batch_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """Normalise each channel over the batch."""
    axes = (0, *range(2, x.ndim))
    aside = [1 if axis in axes else -1 for axis in range(x.ndim)]
    return normalised(x, axes, eps) * weight.reshape(aside) + bias.reshape(aside)


def unit_rows(x: Array) -> Array:
    """Divide by the length along axis 1."""
    result: Array = x / np.sqrt((x * x).sum(1, keepdims=True))
    return result


def similarity(x: Array, y: Array) -> Array:
    """The cosine of the angle between rows."""
    result: Array = (unit_rows(x) * unit_rows(y)).sum(1)
    return result


def askew(d: Draw) -> Arguments:
    """Draw rows of positive entries, and rows of entries of both signs: no two are parallel."""
    shape = d.shape((2, 3), (1, 2), (2, 2, 2))
    signs = (-1.0) ** np.arange(shape[1]).reshape((-1, *[1] * (len(shape) - 2)))
    return Arguments((d.array(shape, SMALL_POSITIVE), d.array(shape, SMALL_POSITIVE) * signs))


def gated(x: Array, dim: int) -> Array:
    """One half, times the sigmoid of the other."""
    a, b = np.split(x, 2, axis=dim)
    result: Array = a * sigmoid(b)
    return result


def halved(d: Draw) -> Arguments:
    """Draw a tensor and an axis of even size, counted from either end."""
    shape = d.shape((4,), (2, 2), (3, 2), (2, 4))
    even = [axis for axis in range(-len(shape), len(shape)) if shape[axis] % 2 == 0]
    return Arguments((d.array(shape, SMALL),), (d.pick(*even),))


def leaking(d: Draw) -> Arguments:
    """Draw a tensor, and a slope for each channel or for all."""
    shape = d.shape((2, 3), (3, 2), (1, 1), (3, 2, 2))
    slopes = ((1,), shape[1:2]) if len(shape) == 2 else ((1,),)
    return Arguments((d.array(shape), d.array(d.pick(*slopes), UNIT, fixed=True)))


def bilinear(x: Array, y: Array, weight: Array) -> Array:
    """A bilinear form for each output."""
    result: Array = np.einsum("bi,oij,bj->bo", x, weight, y)
    return result


def two_inputs(d: Draw) -> Arguments:
    """Draw two inputs and the forms that join them."""
    shapes = d.shapes(((2, 3), (2, 2), (2, 3, 2)), ((1, 1), (1, 2), (1, 1, 2)))
    return Arguments(tuple(d.array(shape, SMALL) for shape in shapes))


LAYERS = (
    Operation("linear", lambda x, w, b: x @ w.T + b, linear_layer),
    Operation("bilinear", bilinear, two_inputs),
    Operation("conv1d", convolution, filtered(((1, 2, 4), (2, 2, 3)), ((2, 1, 3), (1, 1, 1)))),
    Operation("conv2d", convolution, filtered(
        ((1, 1, 3, 3), (1, 1, 2, 2)), ((2, 2, 2, 3), (1, 2, 1, 2)), ((1, 2, 2, 2), (3, 2, 1, 1)))),
    Operation("conv_transpose2d", transposed_convolution, spread_out),
    Operation("max_pool2d", lambda x, size: windows(x, (size, size), size).max((-2, -1)), images,
              kinks="equal entries", ties=True),
    Operation("avg_pool2d", lambda x, size: windows(x, (size, size), size).mean((-2, -1)), images,
              linear=True),
    Operation("layer_norm", layer_norm, layer_normalised,
              call=lambda be, x, w, b, eps: be.layer_norm(x, be.shape(w), w, b, eps)),
    Operation("batch_norm", batch_norm, batch_normalised,
              call=lambda be, x, w, b, eps: be.batch_norm(x, None, None, w, b, True, 0.1, eps)),
    Operation("normalize", unit_rows, alike(POSITIVE, shapes=((2, 3), (1, 2), (2, 2, 2)))),
    Operation("cosine_similarity", similarity, askew),
    Operation("glu", gated, halved),
    Operation("prelu", lambda x, slope: np.where(np.real(x) > 0, x, slope * x), leaking, kinks="0"),
)  # fmt: skip

# ---- losses --------------------------------------------------------------------------------------

MEAN: dict[str, Callable[[Array], Array]] = {
    "mean": np.mean,
    "sum": np.sum,
    "none": lambda loss: loss,
}
PAIRED: tuple[Shape, ...] = ((3,), (2, 3), (), (1,), (4, 1))


def compared(*values: Array) -> Drawing:
    """Draw inputs and targets of one shape, and how losses are put together."""
    draw = alike(*values, shapes=PAIRED)

    def with_reduction(d: Draw) -> Arguments:
        return Arguments(draw(d).tensors, (), {"reduction": d.pick("mean", "sum", "none")})

    return with_reduction


def loss(
    name: str,
    each: Callable[..., Array],
    *values: Array,
    kinks: str = "",
    others: tuple[Callable[..., Array], ...] = (),
) -> Operation:
    """Make the record of a loss that is computed entry by entry, perhaps by `others` as well."""

    def made(formula: Callable[..., Array]) -> Callable[..., Array]:
        return lambda *tensors, reduction: MEAN[reduction](formula(*tensors))

    return Operation(name, made(each), compared(*(values or (ANY, ANY))), kinks=kinks,
                     formulas=tuple(map(made, others)))  # fmt: skip


def magnitude(x: Array) -> Array:
    """The absolute value."""
    return np.where(np.real(x) < 0, -x, x)


def rounded_corner(gap: Array) -> Array:
    """Half the square within 1, beyond it the distance less a half."""
    return np.where(np.abs(np.real(gap)) < 1, gap * gap / 2, magnitude(gap) - 0.5)


def in_two_parts(gap: Array) -> Array:
    """The same, as half the square of what lies within 1, and what lies beyond."""
    size = magnitude(gap)
    within = np.where(np.abs(np.real(gap)) < 1, size, 1)
    result: Array = within * within / 2 + (size - within)
    return result


def entropy(p: Array, target: Array) -> Array:
    """The cross-entropy of two probabilities."""
    result: Array = -(target * np.log(p) + (1 - target) * np.log(1 - p))
    return result


def entropy_of_scores(x: Array, target: Array) -> Array:
    """The same of the probability sigmoid(x)."""
    result: Array = target * softened(-x) + (1 - target) * softened(x)
    return result


def certain(d: Draw) -> Arguments:
    """Draw scores, and shares of classes that they are compared with: halves, which add up to 1."""
    shape = d.shape((2, 3), (1, 2), (3, 2))
    first, second = (np.eye(shape[1])[d.indices(shape[:1], shape[1])] for _ in range(2))
    return Arguments((d.array(shape, UNIT), (first + second) / 2))


def labelled(d: Draw) -> Arguments:
    """Draw logarithms of probabilities and labels, and how losses are put together."""
    shape = d.shape((2, 3), (1, 2), (4, 2))
    labels = d.indices(shape[:1], shape[1])
    return Arguments((d.array(shape),), (labels,), {"reduction": d.pick("mean", "sum", "none")})


def of_labels(x: Array, labels: Array, reduction: str) -> Array:
    """The negative entry that each label names."""
    return MEAN[reduction](-x[np.arange(len(labels)), labels])


LOSSES = (
    loss("mse_loss", lambda x, y: (x - y) ** 2),
    loss("l1_loss", lambda x, y: magnitude(x - y), kinks="equal entries"),
    loss("smooth_l1_loss", lambda x, y: rounded_corner(x - y), kinks="a distance of 1"),
    loss("huber_loss", lambda x, y: rounded_corner(x - y), kinks="a distance of 1",
         others=(lambda x, y: in_two_parts(x - y),)),
    loss("binary_cross_entropy", entropy, (UNIT + 1) / 2, (UNIT + 1) / 2),
    loss("binary_cross_entropy_with_logits", entropy_of_scores, SMALL, table_of(1.0, 0.0),
         others=(lambda x, y: entropy(sigmoid(x), y),)),
    loss("kl_div", lambda x, y: y * (np.log(y) - x), -POSITIVE, SMALL_POSITIVE),
    Operation("nll_loss", of_labels, labelled, linear=True),
    Operation("cross_entropy", lambda x, p: -(p * log_shares(x, 1)).sum(1).mean(), certain),
)  # fmt: skip

NETWORKS = (*LAYERS, *LOSSES)
