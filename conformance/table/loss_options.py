"""Losses that compare entries by all of their options at once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..truth.oracles.jets import constant
from .arguments import Arguments, Drawing
from .distances import LITTLE, apart_by
from .drawing import SMALL, SMALL_POSITIVE, Array, Draw, Shape
from .losses import (
    PROBABILITIES,
    after,
    as_usual,
    composed,
    cosine,
    entropy,
    entropy_of_scores,
    gaussian,
    hinge,
    huber,
    huber_in_parts,
    many_labels,
    poisson,
    ranking,
    signs,
    smooth,
    with_constants,
)
from .operation import Operation
from .optional import one_of
from .parts import RANKED, floats, magnitude, pick

BOTH: tuple[tuple[Shape, Shape], ...] = (
    ((2, 3), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((3,), (2, 3)), ((), ())
)  # fmt: skip
"""Shapes of inputs and targets, which broadcast."""


def ways(d: Draw) -> dict[str, Any]:
    """Draw how losses are put together, if it is said at all."""
    return dict(d.pick({}, {"reduction": "sum"}, {"reduction": "none"}, {"reduction": "mean"}))


# ---- of a distance -------------------------------------------------------------------------------


def weighed(each: Callable[..., Array]) -> Callable[..., Array]:
    """Put the loss of entries together, times weights; of a mean these are divided by."""

    def forward(
        x: Array, y: Array, reduction: str = "mean", weight: Array | None = None, **named: Any
    ) -> Array:
        loss = each(x, y, "none", **named)
        if weight is None:
            return composed(loss, reduction)
        loss = weight * loss
        return loss.sum() / weight.sum() if reduction == "mean" else composed(loss, reduction)

    return forward


def compared(*, weights: bool = False, **options: tuple[Any, ...]) -> Drawing:
    """Draw tensors that broadcast, perhaps weights of the shape of the first, and options."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        named, shapes = ways(d) | one_of(d, **options), d.pick(*BOTH)
        if weights and np.broadcast_shapes(*shapes) == shapes[0]:
            given = d.array(shapes[0], SMALL_POSITIVE, fixed=True)
            named["weight"] = d.pick(None, given)
        return Arguments(tuple(d.array(shape) for shape in shapes), (), named)

    return draw


# ---- of probabilities ----------------------------------------------------------------------------


def maybe(forward: Callable[..., Array], *words: str) -> Callable[..., Array]:
    """Let weights that are not given be ones."""

    def made(*tensors: Array, reduction: str = "mean", **named: Any) -> Array:
        known = {word: 1.0 if named[word] is None else named[word] for word in words}
        return forward(*tensors, reduction=reduction, **{**named, **known})

    return made


def weighted(values: Array, *words: str) -> Drawing:
    """Draw inputs, targets, and perhaps weights for all entries or for those of a row."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        shape, named = d.pick((2, 3), (3,), (2, 1, 2)), ways(d)
        for word in words:
            size = d.pick(None, shape[-1:], shape)
            named[word] = None if size is None else d.array(size, SMALL_POSITIVE)
        return Arguments((d.array(shape, values), d.array(shape, PROBABILITIES)), (), named)

    return draw


def diverging(
    x: Array, y: Array, reduction: str = "mean", log_target: bool = False  # noqa: FBT001, FBT002
) -> Array:  # fmt: skip
    """The divergence of two distributions, the second one given by its logarithms or itself."""
    size = pick(floats(y) > 0, y, 1)
    each = np.exp(y) * (y - x) if log_target else y * (np.log(size) - x)
    return each.sum() / each.shape[0] if reduction == "batchmean" else composed(each, reduction)


def distributions(d: Draw) -> Arguments:
    """Draw logarithms, and shares: as logarithms, themselves, or as constants that may be zero."""
    d.go_on()
    shape, kind = d.pick((2, 3), (3, 1), (2, 2, 2)), d.pick("plain", "logarithms", "constant")
    named = dict(d.pick(ways(d), {"reduction": "batchmean"}))
    named |= {"log_target": kind == "logarithms"} if kind != "plain" else {}
    x, y = d.array(shape, SMALL), d.array(shape, SMALL_POSITIVE)
    if kind == "constant":
        return Arguments((x,), (y * d.mask(shape),), named)
    return Arguments((x, y), (), named)


def normal(
    x: Array, y: Array, var: Array, reduction: str = "mean", full: bool = False,  # noqa: FBT001, FBT002
    eps: float = 1e-6,
) -> Array:  # fmt: skip
    """The loss of a normal distribution, whose variance has a bound that gradients pass over."""
    lowest = np.maximum(constant(var), eps) - constant(var)
    spread = var + lowest
    return gaussian(x, y, spread if var.ndim == x.ndim else spread[..., None], reduction, full)


def variances(d: Draw) -> Arguments:
    """Draw inputs, targets, variances of entries or of rows, and their bound."""
    d.go_on()
    shape, own = d.pick(((2, 3), (2, 3)), ((2, 3), (2, 1)), ((2, 3), (2,)), ((3,), (3,)))
    named = ways(d) | one_of(d, full=("usual", True, False), eps=("usual", 1.625, 0.125))
    tensors = d.array(shape), d.array(shape), d.array(own, SMALL_POSITIVE)
    return Arguments(tensors, (), named)


def rate(
    x: Array, target: Array, reduction: str = "mean", log_input: bool = True,  # noqa: FBT001, FBT002
    full: bool = False, eps: float = 1e-8,  # noqa: FBT001, FBT002
) -> Array:  # fmt: skip
    """Less the logarithm of a probability of Poisson's, with the usual options."""
    return poisson(x, reduction, target, log_input, full, eps)


def counted(d: Draw) -> Arguments:
    """Draw rates, counts, and options."""
    d.go_on()
    shape = d.pick((2, 3), (4,), ())
    named = ways(d) | one_of(d, log_input=("usual", True, False), full=("usual", True, False),
                             eps=("usual", 0.25))  # fmt: skip
    x, target = d.array(shape, SMALL_POSITIVE), np.array(d.indices(shape, 5), float)
    return Arguments((x,), (), {"target": target, **named})


def many(d: Draw) -> Arguments:
    """Draw scores, which of them are true, and perhaps weights."""
    d.go_on()
    shape, named = d.pick((2, 3), (3,), (1, 2)), ways(d)
    weight = d.pick(None, d.array(shape[-1:], SMALL_POSITIVE))
    target = d.mask(shape) * 1.0
    return Arguments((d.array(shape, SMALL),), (), {"target": target, "weight": weight, **named})


# ---- of sides and distances ----------------------------------------------------------------------


def unbatched(forward: Callable[..., Array], ndim: int) -> Callable[..., Array]:
    """Let what has fewer axes be a batch of one."""

    def made(x: Array, *rest: Any, reduction: str = "mean", **named: Any) -> Array:
        if x.ndim == ndim:
            return forward(x, *rest, reduction=reduction, **named)
        result = forward(x[None], *(np.asarray(y)[None] if isinstance(y, np.ndarray) else y[None]
                                    for y in rest), reduction=reduction, **named)  # fmt: skip
        return result[0] if reduction == "none" else result

    return made


def angles(d: Draw) -> Arguments:
    """Draw rows or one row, the sides that are meant, and a margin at which no cosine is."""
    d.go_on()
    shape = d.pick((2, 3), (3,))
    tensors = d.array(shape, SMALL_POSITIVE), d.array(shape, SMALL_POSITIVE) * [1.0, -1.0, 1.0]
    named = ways(d) | one_of(d, margin=(0.3125, -0.1875, 0.6875))
    return Arguments(tensors, (signs(d, shape[:-1]),), named)


def ranked(d: Draw) -> Arguments:
    """Draw tensors and sides that broadcast, and a margin."""
    d.go_on()
    x, y, side = d.pick(((3,), (3,), (3,)), ((2, 3), (1, 3), (2, 1)), ((1, 3), (2, 1), (1, 1)))
    named = ways(d) | one_of(d, margin=("usual", 0.5, -1.0, 2.0))
    return Arguments((d.array(x), d.array(y)), (signs(d, side),), named)


def triplet(
    a: Array, x: Array, y: Array, reduction: str = "mean", margin: float = 1.0, p: float = 2.0,
    eps: float = 1e-6, swap: bool = False,  # noqa: FBT001, FBT002
) -> Array:  # fmt: skip
    """How much nearer an anchor is to the one it belongs to, less a margin."""
    near, far = (apart_by(a, each, p, eps, keepdim=False) for each in (x, y))
    if swap:
        other = apart_by(x, y, p, eps, keepdim=False)
        far = pick(floats(other) < floats(far), other, far)
    return composed(hinge(near - far + margin), reduction)


def triplets(d: Draw) -> Arguments:
    """Draw anchors and what is near and far, of which some is far enough apart and some is not."""
    d.go_on()
    tensors = tuple(d.array((2, 2), values, fixed=True) for values in (RANKED, LITTLE, LITTLE))
    a, x, y = tensors
    each = a, a + x + 0.25, a + y + np.array([[64.0, 32.0], [0.5, 0.75]])
    single: Any = d.pick(slice(None), 1)
    named = ways(d) | one_of(d, margin=("usual", 2.0, 0.25), p=("usual", 1.0, 3.0),
                             eps=("usual", 0.125), swap=(True, "usual", False))  # fmt: skip
    return Arguments(tuple(np.array(z[single]) for z in each), (), named)


LOSS_OPTIONS = (
    Operation("mse_loss_options", weighed(lambda x, y, _: (x - y) * (x - y)),
              compared(weights=True), call=with_constants("mse_loss_options", "weight")),
    Operation("l1_loss_options", weighed(lambda x, y, _: magnitude(x - y)), compared(weights=True),
              call=with_constants("l1_loss_options", "weight"), kinks="equal entries"),
    Operation("huber_loss_options", weighed(lambda x, y, way, delta=1.0: huber(x, y, way, delta)),
              compared(delta=("usual", 0.5, 2.0)), kinks="a distance of delta", formulas=(
                  weighed(lambda x, y, way, delta=1.0: huber_in_parts(x, y, way, delta)),)),
    Operation("smooth_l1_loss_options",
              weighed(lambda x, y, way, beta=1.0: smooth(x, y, way, beta)),
              compared(beta=("usual", 0.5, 2.0, 0.0)), kinks="a distance of beta"),
    Operation("binary_cross_entropy_options", maybe(entropy, "weight"),
              weighted(PROBABILITIES, "weight"), formulas=(maybe(
                  lambda p, y, reduction, weight: composed(
                      -weight * (y * np.log(p) + (1 - y) * np.log(1 - p)), reduction), "weight"),),
              call=with_constants("binary_cross_entropy_options", "weight")),
    Operation("binary_cross_entropy_with_logits_options",
              maybe(entropy_of_scores, "weight", "pos_weight"),
              weighted(SMALL, "weight", "pos_weight"),
              formulas=(maybe(as_usual, "weight", "pos_weight"),),
              call=with_constants("binary_cross_entropy_with_logits_options", "weight",
                                  "pos_weight")),
    Operation("kl_div_options", diverging, distributions),
    Operation("gaussian_nll_loss_options", normal, variances),
    Operation("poisson_nll_loss_options", rate, counted,
              call=after("poisson_nll_loss_options")),
    Operation("multilabel_soft_margin_loss_options", maybe(many_labels, "weight"), many,
              call=lambda be, x, target, **named: with_constants(
                  "multilabel_soft_margin_loss_options", "weight")(
                      be, x, be.tensor(target), **named)),
    Operation("cosine_embedding_loss_options", unbatched(cosine, 2), angles),
    Operation("margin_ranking_loss_options", lambda x, y, side, reduction="mean", margin=0.0:
              ranking(x, y, side, reduction, margin), ranked, kinks="the margin"),
    Operation("triplet_margin_loss_options", triplet, triplets, kinks="equal entries", ties=True),
)  # fmt: skip
"""Losses of inputs and targets."""
