"""Losses of scores of classes by all of their options at once."""

from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .drawing import ANY, SMALL_POSITIVE, UNIT, Array, Draw, Shape
from .labelled import multi_margin, several_margins, ways_to_write
from .loss_options import unbatched, ways
from .losses import composed, with_constants
from .operation import Operation
from .optional import one_of
from .parts import RANKED
from .reductions import log_shares

SCORES: tuple[Shape, ...] = ((2, 3), (3,), (2, 3, 2), (1, 2, 2, 1), (2, 4))
"""Scores of classes on axis 1, or without a batch."""


def by_classes(x: Array, target: Any, weight: Array | None = None, ignore_index: int = -100,
               reduction: str = "mean", label_smoothing: float = 0.0) -> Array:  # fmt: skip
    """The negative scores of labels, or of shares of classes, times the weights of these."""
    axis = min(1, x.ndim - 1)
    x, classes = np.moveaxis(x, axis, -1), x.shape[axis]
    weights: Any = np.ones(classes) if weight is None else weight
    labels = isinstance(target, np.ndarray) and target.dtype.kind == "i"
    counts: Any = 1.0
    if labels:
        counts = 1.0 * (target != ignore_index)
        shares = np.eye(classes)[np.where(target == ignore_index, 0, target)] * counts[..., None]
        of_each = (shares * weights).sum(-1)
    else:
        shares, of_each = np.moveaxis(target, axis, -1), np.ones(x.shape[:-1])
    even = np.asarray(counts)[..., None] / classes
    shares = (1 - label_smoothing) * shares + label_smoothing * even
    each = -(shares * weights * x).sum(-1)
    return each.sum() / of_each.sum() if reduction == "mean" else composed(each, reduction)


def of_scores(x: Array, target: Any, **named: Any) -> Array:
    """The same of the logarithms of probabilities."""
    return by_classes(log_shares(x, min(1, x.ndim - 1)), target, **named)


def classified(*, smoothing: bool) -> Drawing:
    """Draw scores, labels some of which do not count, or shares, and perhaps weights."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        shape, named = d.pick(*SCORES), ways(d)
        axis = min(1, len(shape) - 1)
        classes, places = shape[axis], (*shape[:axis], *shape[axis + 1 :])
        named["weight"] = d.pick(None, d.array((classes,), SMALL_POSITIVE, fixed=True))
        named |= one_of(d, label_smoothing=("usual", 0.25, 0.5)) if smoothing else {}
        x = d.array(shape, UNIT if smoothing else ANY)
        if smoothing and d.pick(False, True):
            return Arguments((x, d.array(shape, SMALL_POSITIVE)), (), named)
        named |= one_of(d, ignore_index=("usual", 0, 1, -1))
        labels = d.indices(places, classes)
        labels[d.mask(places)] = named.get("ignore_index", 0)
        labels[(0,) * labels.ndim] = classes - 1 if named.get("ignore_index") != classes - 1 else 0
        return Arguments((x,), (labels,), named)

    return draw


def margins(d: Draw) -> Arguments:
    """Draw scores, labels and perhaps weights."""
    d.go_on()
    shape = d.pick((2, 3), (3,), (3, 2))
    named = ways(d) | one_of(d, p=("usual", 2, 1), margin=(1.0625, 0.5625))
    named["weight"] = d.pick(None, d.array(shape[-1:], SMALL_POSITIVE, fixed=True))
    return Arguments((d.array(shape),), (d.indices(shape[:-1], shape[-1]),), named)


def weighted_margin(x: Array, labels: Array, weight: Array | None = None, p: int = 1, **named: Any
                    ) -> Array:  # fmt: skip
    """How far other scores are above that of the label, where no weights are ones."""
    weights = np.ones(x.shape[1]) if weight is None else weight
    return multi_margin(x, labels, p, weight=weights, **named)


def several(d: Draw) -> Arguments:
    """Draw scores, and one or two labels for each row."""
    d.go_on()
    shape = d.pick((2, 3), (4,), (1, 3))
    labels = np.full(shape, -1)
    for row in np.atleast_2d(labels):
        chosen = d.order((shape[-1],))[: d.pick(1, 2)]
        row[: len(chosen)] = chosen
    return Arguments((d.array(shape, RANKED, fixed=True),), (labels,), ways(d))


# ---- labels that are not aligned -----------------------------------------------------------------


def unaligned(
    x: Array, rows: Array, long: Array, written: Array, form: str, reduction: str = "mean",
    blank: int = 0, zero_infinity: bool = False,  # noqa: FBT001, FBT002
) -> Array:  # fmt: skip
    """The loss of scores by rows of labels; of what cannot be written it is zero."""
    del zero_infinity
    each = np.stack([
        ways_to_write(x[:times, n], row[:count], blank)
        if needed(row[:count]) <= times else 0 * x[0, n, 0]
        for n, (row, times, count) in enumerate(zip(rows, long, written, strict=True))
    ])  # fmt: skip
    each = each / np.maximum(1, written) if reduction == "mean" else each
    made = composed(each, reduction)
    return made[0] if form == "single" and reduction == "none" else made


def needed(labels: Array) -> int:
    """How many times it takes to write labels: between equal ones there is a blank."""
    return len(labels) + int((labels[1:] == labels[:-1]).sum())


def spoken(d: Draw) -> Arguments:
    """Draw scores at times, labels, how many of both count, and how they are given."""
    d.go_on()
    form, classes = d.pick("rows", "joined", "single", "numbers"), d.pick(3, 2)
    samples = 1 if form == "single" else 2
    named = ways(d) | one_of(d, blank=("usual", classes - 1, 1), zero_infinity=("usual", True))
    others = np.array([k for k in range(classes) if k != named.get("blank", 0)])
    rows = others[d.indices((samples, 2), len(others))]
    written = np.array([d.pick(1, 2, 0) for _ in range(samples)])
    long = np.array([d.pick(4, 2, 3) for _ in range(samples)])
    if not named.get("zero_infinity"):
        long = np.maximum(long, [needed(row[:n]) for row, n in zip(rows, written, strict=True)])
    x = d.array((4, samples, classes), UNIT)
    return Arguments((x,), (rows, long, written, form), named)


def call_unaligned(
    be: Any, x: Any, rows: Array, long: Array, written: Array, form: str, **named: Any
) -> Any:
    """Call it on logarithms of probabilities."""
    scores = be.log_softmax(x, 2)
    labels: Array = rows
    if form == "joined":
        labels = np.concatenate([row[:n] for row, n in zip(rows, written, strict=True)])
    if form == "single":
        scores, labels = be.squeeze(scores, 1), rows[0, : written[0]]
        long, written = long.reshape(()), written.reshape(())
    counts: Any = be.tensor(long), be.tensor(written)
    if form == "numbers":
        counts = [*map(int, long)], [*map(int, written)]
    return be.ctc_loss_options(scores, be.tensor(labels), *counts, **named)


LABEL_OPTIONS = (
    Operation("cross_entropy_options", of_scores, classified(smoothing=True),
              call=with_constants("cross_entropy_options", "weight")),
    Operation("nll_loss_options", by_classes, classified(smoothing=False), linear=True,
              call=with_constants("nll_loss_options", "weight")),
    Operation("multi_margin_loss_options", unbatched(weighted_margin, 2), margins,
              kinks="the margin", ties=True,
              call=with_constants("multi_margin_loss_options", "weight")),
    Operation("multilabel_margin_loss_options", unbatched(several_margins, 2), several,
              kinks="the margin", ties=True),
    Operation("ctc_loss_options", unaligned, spoken, call=call_unaligned),
)  # fmt: skip
"""Losses that take labels."""
