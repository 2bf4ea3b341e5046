"""Losses by rarer options."""

from typing import Any

import numpy as np

from ..truth.oracles.jets import constant
from .arguments import Arguments
from .distances import LITTLE, triplet
from .drawing import SMALL_POSITIVE, UNIT, Array, Draw
from .labelled import unaligned
from .losses import WORDS, all_weighted, composed, gaussian, with_constants
from .operation import Operation
from .parts import RANKED, magnitude


def weighted_distance(x: Array, y: Array, reduction: str, weight: Array) -> Array:
    """A distance, times weights; of a mean these are divided by."""
    each = weight * magnitude(x - y)
    return each.sum() / weight.sum() if reduction == "mean" else composed(each, reduction)


def at_least(x: Array, y: Array, var: Array, reduction: str, eps: float) -> Array:
    """The loss of a normal distribution, whose variance has a bound that gradients pass over."""
    lowest = np.maximum(constant(var), eps) - constant(var)
    return gaussian(x, y, var + lowest, reduction, full=False)


def bounded(d: Draw) -> Arguments:
    """Draw inputs, targets, variances for each entry or for each row, and their bound."""
    shape, own = d.pick(((2, 3), (2, 3)), ((2, 3), (2, 1)), ((3,), (3,)))
    tensors = d.array(shape), d.array(shape), d.array(own, SMALL_POSITIVE)
    return Arguments(tensors, (), {"reduction": d.pick(*WORDS), "eps": d.pick(1.625, 0.25)})


# ---- labels that are not aligned -----------------------------------------------------------------


def of_a_row(x: Array, labels: Array, times: int, reduction: str) -> Array:
    """The loss of scores without a batch."""
    made = unaligned(x[:, None], labels[None], np.array([times]), np.array([len(labels)]),
                     reduction, 0)  # fmt: skip
    result: Array = np.reshape(made, ())
    return result


def row(d: Draw) -> Arguments:
    """Draw scores at times, and labels."""
    labels = 1 + d.indices((d.pick(1, 2),), 2)
    return Arguments(
        (d.array((4, 3), UNIT),), (labels, d.pick(4, 3)), {"reduction": d.pick(*WORDS)}
    )


def call_row(be: Any, x: Any, labels: Array, times: int, reduction: str) -> Any:
    """Call it on logarithms of probabilities."""
    return be.ctc_loss_row(be.log_softmax(x, 1), be.tensor(labels), be.tensor(np.array(times)),
                           be.tensor(np.array(len(labels))), reduction=reduction)  # fmt: skip


def of_joined(x: Array, labels: Array, long: Any, written: Any, reduction: str) -> Array:
    """The loss of labels that stand one after the other."""
    rows = np.zeros((len(written), max(written)), int)
    for n, (end, count) in enumerate(zip(np.cumsum(written), written, strict=True)):
        rows[n, :count] = labels[end - count : end]
    return unaligned(x, rows, np.array(long), np.array(written), reduction, 0)


def in_one_row(d: Draw) -> Arguments:
    """Draw scores at times, the labels of all samples, and their lengths as numbers."""
    written = d.pick((2, 1), (1, 2), (1, 1))
    labels = 1 + d.indices((sum(written),), 2)
    long = d.pick((4, 3), (3, 4))
    return Arguments((d.array((4, 2, 3), UNIT),), (labels, long, written),
                     {"reduction": d.pick(*WORDS)})  # fmt: skip


def call_joined(be: Any, x: Any, labels: Array, long: Any, written: Any, reduction: str) -> Any:
    """Call it on logarithms of probabilities."""
    return be.ctc_loss_joined(be.log_softmax(x, 2), be.tensor(labels), long, written,
                              reduction=reduction)  # fmt: skip


def possible_only(x: Array, labels: Array, long: Array, reduction: str) -> Array:
    """The loss of what can be written; what cannot be counts nothing."""
    each = []
    for n, times in enumerate(long):
        one = unaligned(
            x[:, n : n + 1], labels[n : n + 1], long[n : n + 1], np.array([2]), "none", 0
        )
        each.append(one[0] if times > 2 else 0 * x[0, n, 0])
    made = np.stack(each)
    return (made / 2).mean() if reduction == "mean" else composed(made, reduction)


def too_short(d: Draw) -> Arguments:
    """Draw scores at times, and a label twice, for which two times are too short."""
    labels = np.repeat(1 + d.indices((2, 1), 2), 2, axis=1)
    long = np.array(d.pick((2, 4), (3, 2), (3, 4)))
    return Arguments((d.array((4, 2, 3), UNIT),), (labels, long), {"reduction": d.pick(*WORDS)})


def call_possible(be: Any, x: Any, labels: Array, long: Array, reduction: str) -> Any:
    """Call it on logarithms of probabilities."""
    return be.ctc_loss_impossible(
        be.log_softmax(x, 2), be.tensor(labels), be.tensor(long), be.tensor(np.array([2, 2])),
        reduction=reduction, zero_infinity=True,
    )  # fmt: skip


# ---- triplets ------------------------------------------------------------------------------------


def hinged(d: Draw) -> Arguments:
    """Draw anchors and what is near and far, of which some is far enough apart and some is not."""
    tensors = tuple(d.array((2, 2), values, fixed=True) for values in (RANKED, LITTLE, LITTLE))
    a, x, y = tensors
    near, far = a + x + 0.25, a + y + np.array([[64.0, 32.0], [0.5, 0.75]])
    named = {"reduction": d.pick(*WORDS), "margin": d.pick(2.0, 4.0), "swap": False}
    return Arguments((a, near, far), (), named | {"p": d.pick(2.0, 1.0)})


LOSS_FORMS = (
    Operation("l1_loss_weight", weighted_distance, all_weighted, kinks="equal entries",
              call=with_constants("l1_loss_weight", "weight")),
    Operation("gaussian_nll_loss_eps", at_least, bounded),
    Operation("ctc_loss_row", of_a_row, row, call=call_row),
    Operation("ctc_loss_joined", of_joined, in_one_row, call=call_joined),
    Operation("ctc_loss_impossible", possible_only, too_short, call=call_possible),
    Operation("triplet_margin_loss_hinge", triplet, hinged, kinks="equal entries", ties=True),
)  # fmt: skip
"""Forms of losses."""
