"""Losses by their options, and more of them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from .arguments import Arguments, Drawing, alike
from .drawing import ANY, POSITIVE, SMALL, SMALL_POSITIVE, UNIT, Array, Draw, Shape
from .networks import MEAN, PAIRED, askew
from .operation import Operation
from .parts import floats, magnitude, pick, softened

WORDS = ("mean", "sum", "none")
BITS = table_of(1.0, 0.0)


def composed(loss: Array, reduction: str) -> Array:
    """Put a loss together from that of entries."""
    return MEAN[reduction](loss)


def hinge(x: Array) -> Array:
    """X where it is positive, else 0."""
    return pick(floats(x) > 0, x, 0)


def signs(d: Draw, shape: Shape) -> Array:
    """Draw 1 and -1."""
    return np.where(d.mask(shape), 1.0, -1.0)


def with_constants(name: str, *words: str) -> Callable[..., Any]:
    """Call a function with constants for what is named."""

    def call(be: Any, *tensors: Any, **named: Any) -> Any:
        known = {w: be.tensor(named.pop(w)) for w in words if named.get(w) is not None}
        return getattr(be, name)(*tensors, **named, **known)

    return call


def drawing(*values: Array, **options: tuple[Any, ...]) -> Drawing:
    """Draw tensors of one shape, how they are put together, and one of each kind of option."""
    draw = alike(*values, shapes=PAIRED)

    def with_options(d: Draw) -> Arguments:
        tensors = draw(d).tensors
        return Arguments(
            tensors,
            (),
            {"reduction": d.pick(*WORDS), **{key: d.pick(*some) for key, some in options.items()}},
        )

    return with_options


# ---- of inputs and targets of one shape ----------------------------------------------------------


def weighted(*values: Array, words: tuple[str, ...] = ("weight",)) -> Drawing:
    """Draw inputs and targets, how they are put together, and weights that fit."""
    draw = alike(*values, shapes=((2, 3), (3,), (1, 2)))

    def with_weights(d: Draw) -> Arguments:
        tensors = draw(d).tensors
        last = tensors[0].shape[-1:]
        named = {word: d.array(last, SMALL_POSITIVE, fixed=True) for word in words}
        return Arguments(tensors, (), {"reduction": d.pick(*WORDS), **named})

    return with_weights


def entropy(p: Array, y: Array, reduction: str, weight: Array) -> Array:
    """The cross-entropy of two probabilities, times weights."""
    return composed(-weight * (y * np.log(p) + (1 - y) * np.log1p(-p)), reduction)


def entropy_of_scores(
    x: Array, y: Array, reduction: str, weight: Array, pos_weight: Array
) -> Array:
    """The same of sigmoid(x), where what is true has another weight."""
    each = pos_weight * y * softened(-x) + (1 - y) * softened(x)
    return composed(weight * each, reduction)


def as_usual(x: Array, y: Array, reduction: str, weight: Array, pos_weight: Array) -> Array:
    """The same as libraries write it: without a difference of large numbers."""
    factor = 1 + (pos_weight - 1) * y
    return composed(weight * ((1 - y) * x + factor * softened(-x)), reduction)


def divergence(x: Array, y: Array, reduction: str) -> Array:
    """The divergence of two distributions that are given by their logarithms."""
    each = np.exp(y) * (y - x)
    return each.sum() / each.shape[0] if reduction == "batchmean" else composed(each, reduction)


def diverging(d: Draw) -> Arguments:
    """Draw logarithms."""
    shape = d.shape((2, 3), (3,), (1, 2))
    return Arguments((d.array(shape, SMALL), d.array(shape, SMALL)), (),
                     {"reduction": d.pick(*WORDS, "batchmean")})  # fmt: skip


def huber(x: Array, y: Array, reduction: str, delta: float) -> Array:
    """Half the square within delta, beyond it a line."""
    gap = x - y
    near = np.abs(floats(gap)) < delta
    return composed(pick(near, gap * gap / 2, delta * (magnitude(gap) - delta / 2)), reduction)


def huber_in_parts(x: Array, y: Array, reduction: str, delta: float) -> Array:
    """The same, as half the square of what lies within delta, and what lies beyond."""
    size = magnitude(x - y)
    within = pick(floats(size) < delta, size, delta)
    return composed(within * within / 2 + delta * (size - within), reduction)


def smooth(x: Array, y: Array, reduction: str, beta: float) -> Array:
    """The same, over beta; without beta the distance."""
    return composed(magnitude(x - y), reduction) if not beta else huber(
        x, y, reduction, beta) / beta  # fmt: skip


def gaussian(x: Array, y: Array, var: Array, reduction: str, full: bool) -> Array:  # noqa: FBT001
    """Less the logarithm of the density of a normal distribution."""
    each = (np.log(var) + (x - y) * (x - y) / var) / 2
    return composed(each + (math.log(2 * math.pi) / 2 if full else 0), reduction)


def poisson(
    x: Array, reduction: str, target: Array, log_input: bool, full: bool, eps: float = 1e-8  # noqa: FBT001
) -> Array:  # fmt: skip
    """Less the logarithm of a probability of Poisson's, whose factorial is Stirling's."""
    each = np.exp(x) - target * x if log_input else x - target * np.log(x + eps)
    t = np.where(target > 1, target, 1)
    stirling = np.where(target > 1, t * np.log(t) - t + np.log(2 * math.pi * t) / 2, 0)
    return composed(each + stirling if full else each, reduction)


def counted(d: Draw) -> Arguments:
    """Draw rates, and counts."""
    shape = d.shape(*PAIRED)
    x = d.array(shape, SMALL_POSITIVE)
    target = np.array(d.indices(shape, 5), float)
    return Arguments((x,), (), {"reduction": d.pick(*WORDS), "target": target,
                                "log_input": d.pick(True, False),
                                "full": d.pick(False, True)})  # fmt: skip


def two_sided(count: int, **options: tuple[Any, ...]) -> Drawing:
    """Draw tensors of one shape, the sides that are meant, and options."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape((3,), (2, 3), (1,))
        tensors = tuple(d.array(shape) for _ in range(count))
        named = {key: d.pick(*some) for key, some in options.items()}
        return Arguments(tensors, (signs(d, shape),), {"reduction": d.pick(*WORDS), **named})

    return draw


def ranking(x: Array, y: Array, side: Array, reduction: str, margin: float) -> Array:
    """How far two entries are from standing in order, by a margin."""
    return composed(hinge(margin - side * (x - y)), reduction)


def embedding(x: Array, side: Array, reduction: str, margin: float) -> Array:
    """A distance that is to be small, or larger than a margin."""
    return composed(pick(side > 0, x, hinge(margin - x)), reduction)


def cosine(x: Array, y: Array, side: Array, reduction: str, margin: float) -> Array:
    """The same of the angle between rows, by its cosine, as PyTorch writes it."""
    squares = ((x * x).sum(1) + 1e-12) * ((y * y).sum(1) + 1e-12)
    angle = (x * y).sum(1) / np.sqrt(squares)
    return composed(pick(side > 0, 1 - angle, hinge(angle - margin)), reduction)


def angles(d: Draw) -> Arguments:
    """Draw rows that are not parallel; of margins those that no cosine is at."""
    rows = askew(d)
    while rows.tensors[0].ndim > 2:
        rows = Arguments(tuple(x[..., 0] for x in rows.tensors))
    side = signs(d, rows.tensors[0].shape[:1])
    return Arguments(rows.tensors, (side,),
                     {"reduction": d.pick(*WORDS), "margin": d.pick(-1.0, 1.0)})  # fmt: skip


def many_labels(x: Array, reduction: str, target: Array, weight: Array) -> Array:
    """The mean over classes of the cross-entropy of sigmoid(x) and what is true."""
    each = target * softened(-x) + (1 - target) * softened(x)
    return composed((weight * each).sum(-1) / x.shape[-1], reduction)


def of_many(d: Draw) -> Arguments:
    """Draw scores, which of them are true, and weights."""
    shape = d.shape((2, 3), (3,), (1, 2))
    x, target = d.array(shape, SMALL), d.mask(shape) * 1.0
    weight = d.array(shape[-1:], SMALL_POSITIVE)
    return Arguments((x,), (), {"reduction": d.pick(*WORDS), "target": target, "weight": weight})


def after(name: str, *words: str) -> Callable[..., Any]:
    """Call a function of a tensor and a target that is a constant."""

    def call(be: Any, x: Any, target: Array, **named: Any) -> Any:
        known = {word: be.tensor(named.pop(word)) for word in words}
        return getattr(be, name)(x, be.tensor(target), **named, **known)

    return call


def weighted_square(x: Array, y: Array, reduction: str, weight: Array) -> Array:
    """The square of a distance, times weights; of a mean these are divided by."""
    each = weight * (x - y) * (x - y)
    return each.sum() / weight.sum() if reduction == "mean" else composed(each, reduction)


def all_weighted(d: Draw) -> Arguments:
    """Draw inputs, targets, and weights of their shape."""
    shape = d.shape((2, 3), (3,), (1, 2))
    tensors = d.array(shape), d.array(shape)
    weight = d.array(shape, SMALL_POSITIVE, fixed=True)
    return Arguments(tensors, (), {"reduction": d.pick(*WORDS), "weight": weight})


PROBABILITIES = (UNIT + 1) / 2

LOSSES = (
    Operation("binary_cross_entropy_weight", entropy, weighted(PROBABILITIES, PROBABILITIES),
              call=with_constants("binary_cross_entropy_weight", "weight"),
              formulas=(lambda p, y, reduction, weight: composed(
                  -weight * (y * np.log(p) + (1 - y) * np.log(1 - p)), reduction),)),
    Operation("binary_cross_entropy_with_logits_weight", entropy_of_scores,
              weighted(SMALL, BITS, words=("weight", "pos_weight")), formulas=(as_usual,),
              call=with_constants("binary_cross_entropy_with_logits_weight", "weight",
                                  "pos_weight")),
    Operation("kl_div_log_target", divergence, diverging),
    Operation("huber_loss_delta", huber, drawing(ANY, ANY, delta=(0.5, 2.0, 1.0)),
              kinks="a distance of delta", formulas=(huber_in_parts,)),
    Operation("smooth_l1_loss_beta", smooth, drawing(ANY, ANY, beta=(0.5, 2.0, 0.0)),
              kinks="a distance of beta"),
    Operation("mse_loss_weight", weighted_square, all_weighted,
              call=with_constants("mse_loss_weight", "weight")),
    Operation("gaussian_nll_loss", gaussian, drawing(ANY, ANY, POSITIVE, full=(False, True))),
    Operation("poisson_nll_loss", poisson, counted, call=after("poisson_nll_loss")),
    Operation("margin_ranking_loss", ranking, two_sided(2, margin=(0.0, 0.5, 2.0)),
              kinks="the margin"),
    Operation("hinge_embedding_loss", embedding, two_sided(1, margin=(1.0, 0.5, 2.0)),
              kinks="the margin"),
    Operation("soft_margin_loss", lambda x, side, reduction: composed(softened(-side * x),
              reduction), two_sided(1), formulas=(lambda x, side, reduction: composed(
                  np.log(1 + np.exp(-side * x)), reduction),)),
    Operation("cosine_embedding_loss", cosine, angles),
    Operation("multilabel_soft_margin_loss", many_labels, of_many,
              call=after("multilabel_soft_margin_loss", "weight")),
)  # fmt: skip
"""Losses that compare entries."""
