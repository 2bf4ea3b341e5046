"""Equal entries, more of them than the largest number of float16: what is true of them together."""

import numpy as np

from ..truth.tolerance import Total
from .drawing import Array

COUNT, ENTRY, WEIGHT = 70_000, 0.5, 2.0**10

REDUCED = {
    "mean": ENTRY,
    "nanmean": ENTRY,
    "logsumexp": ENTRY + np.log(COUNT),
}
"""Their values; the gradient is shared out alike."""

SHARES = {
    "softmax": (1 / COUNT, 1 / COUNT),
    "softmin": (1 / COUNT, -1 / COUNT),
    "log_softmax": (-np.log(COUNT), 1),
}
"""The value of each, and its slope by its own entry, were there no others."""

COUNTED_BY_NAME = REDUCED | SHARES


def together(name: str) -> tuple[Total, Array, Total]:
    """Return the true result of so many equal entries, a cotangent, and the true gradient.

    Where each entry has a result, the cotangent is zero but for the first.
    """
    equal, first = np.full(COUNT, 1 / COUNT), np.zeros(COUNT)
    if name in REDUCED:
        value, cotangent, slope = np.array(REDUCED[name]), np.array(WEIGHT), WEIGHT * equal
    else:
        each, own = SHARES[name]
        first[0] = WEIGHT
        value, cotangent = np.full(COUNT, each), first
        slope = own * (first - WEIGHT * equal)
    return Total(value, np.abs(value), 4), cotangent, Total(slope, np.abs(slope), 4)
