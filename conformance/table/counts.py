"""Equal entries, more of them than the largest number of float16: what is true of them together."""

from typing import Any

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

MEANS = {
    "mse_loss": (ENTRY**2, 2 * ENTRY / COUNT),
    "l1_loss": (ENTRY, 1 / COUNT),
    "nll_loss": (-ENTRY, -1 / COUNT),
    "avg_pool1d": (ENTRY, 1 / COUNT),
    "scatter_reduce_mean": (ENTRY, 1 / COUNT),
}
"""The value of each and its slope by every entry: means in which entries are told from zeros."""

COUNTED_BY_NAME = REDUCED | SHARES | MEANS

TIED_BY_NAME = {
    "amax": (),
    "amin": (),
    "max_all": (),
    "min_all": (),
    "vector_norm": (np.inf, None, False),
    "scatter_reduce_amax": (),
    "scatter_reduce_amin": (),
}
"""What has a share of each entry that is largest, or smallest, and its options."""


def asked(be: Any, name: str, x: Any) -> Any:
    """Compute of equal entries what an operation makes of them."""
    function, nothing = getattr(be, name), np.zeros(COUNT, int)
    if name.startswith("scatter_reduce"):
        start, index = be.tensor(np.zeros(1)), be.tensor(nothing)
        return be.reshape(function(start, 0, index, x, include_self=False), ())
    if name == "avg_pool1d":
        return be.reshape(function(be.reshape(x, (1, 1, COUNT)), COUNT), ())
    if name == "nll_loss":
        return function(be.reshape(x, (COUNT, 1)), be.tensor(nothing))
    if name in MEANS:
        return function(x, be.tensor(0.0 * nothing))
    return function(x, *TIED_BY_NAME.get(name, (0,)))


def together(name: str) -> tuple[Total, Array, Total]:
    """Return the true result of so many equal entries, a cotangent, and the true gradient.

    Where each entry has a result, the cotangent is zero but for the first.
    """
    equal, first = np.full(COUNT, 1 / COUNT), np.zeros(COUNT)
    if name in REDUCED:
        value, cotangent, slope = np.array(REDUCED[name]), np.array(WEIGHT), WEIGHT * equal
    elif name in MEANS:
        mean, own = MEANS[name]
        value, cotangent, slope = np.array(mean), np.array(WEIGHT), np.full(COUNT, WEIGHT * own)
    else:
        each, own = SHARES[name]
        first[0] = WEIGHT
        value, cotangent = np.full(COUNT, each), first
        slope = own * (first - WEIGHT * equal)
    return Total(value, np.abs(value), 4), cotangent, Total(slope, np.abs(slope), 4)
