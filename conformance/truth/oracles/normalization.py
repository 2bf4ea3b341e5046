"""Batch normalization, as Ioffe & Szegedy, "Batch Normalization" (ICML 2015), algorithms 1 and 2.

Batches are (samples, channels), arrays or jets: these show how far rounding may carry it.
"""

from typing import Any

import numpy as np

EPS = 1e-5
"""Added to a variance before its root is taken."""


def moments(x: Any) -> tuple[Any, Any]:
    """Return the mean and the biased variance of each channel."""
    count = x.shape[0]
    mean = x.sum(0) / count
    return mean, ((x - mean) * (x - mean)).sum(0) / count


def normalized(x: Any, mean: Any, variance: Any, weight: Any, bias: Any) -> Any:
    """Return x with its channels centred, scaled to variance 1, then stretched and shifted."""
    return weight * ((x - mean) / np.sqrt(variance + EPS)) + bias


def updated(running: tuple[Any, Any], x: Any, momentum: float) -> tuple[Any, Any]:
    """Return the running mean and variance after a batch: the unbiased variance is taken in."""
    mean, variance = moments(x)
    count = x.shape[0]
    unbiased = variance * count / (count - 1)
    return (
        (1 - momentum) * running[0] + momentum * mean,
        (1 - momentum) * running[1] + momentum * unbiased,
    )
