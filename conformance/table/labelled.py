"""Losses of scores of classes, by labels or by shares."""

from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .drawing import ANY, SMALL_POSITIVE, UNIT, Array, Draw
from .losses import WORDS, composed, hinge, with_constants
from .operation import Operation
from .parts import RANKED
from .reductions import log_shares, shares


def classified(*, smoothing: bool) -> Drawing:
    """Draw scores of classes on axis 1, labels some of which do not count, and weights."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape((2, 3), (3, 2), (1, 2), (3,), (2, 3, 2))
        axis = min(1, len(shape) - 1)
        classes, places = shape[axis], (*shape[:axis], *shape[axis + 1 :])
        labels = d.indices(places, classes)
        labels[(0,) * labels.ndim] = classes - 1
        named = {
            "weight": d.array((classes,), SMALL_POSITIVE),
            "ignore_index": d.pick(-100, 0),
            "reduction": d.pick(*WORDS),
        }
        named |= {"label_smoothing": d.pick(0.25, 0.0)} if smoothing else {}
        return Arguments((d.array(shape, UNIT if smoothing else ANY),), (labels,), named)

    return draw


def of_labels(
    x: Array,
    labels: Array,
    weight: Array,
    ignore_index: int,
    reduction: str,
    label_smoothing: float = 0,
) -> Array:
    """The negative entry that each label names, some of it spread over all of them."""
    axis = min(1, x.ndim - 1)
    classes = x.shape[axis]
    x = np.moveaxis(x, axis, -1)
    counts = np.where(labels == ignore_index, 0.0, weight[labels])
    chosen = np.eye(classes)[labels] * counts[..., None]
    spread = weight * np.where(labels == ignore_index, 0.0, 1.0)[..., None]
    shares = (1 - label_smoothing) * chosen + label_smoothing / classes * spread
    each = -(shares * x).sum(-1)
    return each.sum() / counts.sum() if reduction == "mean" else composed(each, reduction)


def of_scores(x: Array, labels: Array, **named: Any) -> Array:
    """The same of the logarithms of probabilities."""
    return of_labels(log_shares(x, min(1, x.ndim - 1)), labels, **named)


def of_shares(x: Array, p: Array, weight: Array, reduction: str, label_smoothing: float) -> Array:
    """Cross-entropy with probabilities of classes."""
    classes = x.shape[1]
    p = p * (1 - label_smoothing) + label_smoothing / classes
    each = -(weight * p * log_shares(x, 1)).sum(1)
    return each.sum() / x.shape[0] if reduction == "mean" else composed(each, reduction)


def shared(d: Draw) -> Arguments:
    """Draw scores of classes, how much of each there is, and weights."""
    shape = d.shape((2, 3), (1, 2), (3, 2))
    tensors = d.array(shape, UNIT), d.array(shape, SMALL_POSITIVE)
    named = {"weight": d.array(shape[1:], SMALL_POSITIVE), "reduction": d.pick(*WORDS),
             "label_smoothing": d.pick(0.25, 0.0)}  # fmt: skip
    return Arguments(tensors, (), named)


def multi_margin(
    x: Array, labels: Array, p: int, margin: float, weight: Array, reduction: str
) -> Array:
    """How far other scores are above that of the label, less a margin."""
    own = x[np.arange(len(labels)), labels]
    far = hinge(margin + x - own[:, None]) * (1 - np.eye(x.shape[1])[labels])
    each = weight[labels] * (far * far if p == 2 else far).sum(1) / x.shape[1]
    return composed(each, reduction)


def margins(d: Draw) -> Arguments:
    """Draw scores, labels and weights."""
    shape = d.shape((2, 3), (1, 2), (3, 2), many=0)
    x, labels = d.array(shape), d.indices(shape[:1], shape[1])
    # Among thousands of entries two may differ by any small multiple of 1/512.
    between = 2.0**-12 if d.is_large else 0.0
    named = {"p": d.pick(1, 2), "margin": d.pick(1.0625, 0.5625) + between,
             "reduction": d.pick(*WORDS),
             "weight": d.array(shape[1:], SMALL_POSITIVE, fixed=True)}  # fmt: skip
    return Arguments((x,), (labels,), named)


def several_margins(x: Array, labels: Array, reduction: str) -> Array:
    """The same of several labels a row, which end at -1, and with a margin of 1."""
    rows = []
    for row, own in zip(x, labels, strict=True):
        meant = own[: np.argmax(own < 0)]
        others = np.setdiff1d(np.arange(len(own)), meant)
        gaps = 1 - (row[meant][:, None] - row[others])
        rows.append(hinge(gaps).sum() / len(own))
    return composed(np.stack(rows), reduction)


def labelled_several(d: Draw) -> Arguments:
    """Draw scores, and one or two labels for each row."""
    shape = d.shape((2, 3), (1, 4), (2, 4), many=0)
    x = d.array(shape, RANKED, fixed=True)
    labels = np.full(shape, -1)
    for row in labels:
        chosen = d.order((shape[1],))[: d.pick(1, 2)]
        row[: len(chosen)] = chosen
    return Arguments((x,), (labels,), {"reduction": d.pick(*WORDS)})


def unaligned(
    x: Array, labels: Array, long: Array, written: Array, reduction: str, blank: int
) -> Array:
    """Less the logarithm of the probability that scores at times write a row of labels.

    It is the sum over all ways to write it, with repetitions and blanks (Graves et al., 2006,
    equations 6 to 8).
    """
    each = np.stack([
        ways_to_write(x[:times, n], labels[n, :count], blank)
        for n, (times, count) in enumerate(zip(long, written, strict=True))
    ])  # fmt: skip
    return (each / written).mean() if reduction == "mean" else composed(each, reduction)


def ways_to_write(x: Array, labels: Array, blank: int) -> Array:
    """The same of one sample: less the logarithm, by which what has no label is all blanks."""
    p, row = shares(x, 1), [blank]
    for label in labels:
        row += [int(label), blank]
    ways = [p[0, row[k]] if k < 2 else 0 * p[0, blank] for k in range(len(row))]
    for t in range(1, x.shape[0]):
        before = ways
        ways = []
        for k, label in enumerate(row):
            total = before[k] + (before[k - 1] if k else 0)
            if k > 1 and label not in (blank, row[k - 2]):
                total = total + before[k - 2]
            ways.append(total * p[t, label])
    result: Array = -np.log(sum(ways[-2:]))
    return result


def spoken(d: Draw) -> Arguments:
    """Draw scores at times, labels, and how many of both count."""
    times, samples, classes = d.pick((3, 1, 3), (3, 2, 2), (4, 1, 2))
    blank = d.pick(0, classes - 1)
    others = np.array([k for k in range(classes) if k != blank])
    labels = others[d.indices((samples, 2), len(others))]
    written = 1 + d.indices((samples,), 2)
    long = np.full(samples, times)
    long[0] -= d.pick(0, 1) if written[0] == 1 else 0
    x = d.array((times, samples, classes), UNIT)
    return Arguments((x,), (labels, long, written), {"reduction": d.pick(*WORDS), "blank": blank})


def call_ctc(be: Any, x: Any, *rest: Any, **named: Any) -> Any:
    """Call it on logarithms of probabilities: only of these does it tell the gradient."""
    return be.ctc_loss(be.log_softmax(x, 2), *map(be.tensor, rest), **named)


LABELLED = (
    Operation("ctc_loss", unaligned, spoken, call=call_ctc),
    Operation("cross_entropy_labels", of_scores, classified(smoothing=True),
              call=with_constants("cross_entropy_labels", "weight")),
    Operation("cross_entropy_shares", of_shares, shared,
              call=with_constants("cross_entropy_shares", "weight")),
    Operation("nll_loss_weight", of_labels, classified(smoothing=False), linear=True,
              call=with_constants("nll_loss_weight", "weight")),
    Operation("multi_margin_loss", multi_margin, margins, kinks="the margin", ties=True,
              call=with_constants("multi_margin_loss", "weight")),
    Operation("multilabel_margin_loss", several_margins, labelled_several, kinks="the margin",
              ties=True),
)  # fmt: skip
"""Losses that take labels."""
