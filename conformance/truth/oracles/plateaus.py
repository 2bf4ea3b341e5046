"""Rates that fall where a loss does not.

Source: PyTorch's documentation of `ReduceLROnPlateau`.
"""

from collections.abc import Sequence


def plateaued(
    rate: float,
    losses: Sequence[float],
    *,
    mode: str = "min",
    factor: float = 0.1,
    patience: int = 10,
    threshold: float = 1e-4,
    threshold_mode: str = "rel",
    cooldown: int = 0,
    min_lr: float = 0.0,
    eps: float = 1e-8,
) -> list[float]:
    """Return the rate after each loss; in the mode "max" larger ones are better."""
    sign = 1 if mode == "min" else -1
    best, idle, resting = sign * float("inf"), 0, 0
    rates = []
    for loss in losses:
        apart = sign * threshold
        least = best * (1 - apart) if threshold_mode == "rel" else best - apart
        if sign * loss < sign * least:
            best, idle = loss, 0
        else:
            idle += 1
        if resting:
            resting, idle = resting - 1, 0
        if idle > patience:
            lower, resting, idle = max(rate * factor, min_lr), cooldown, 0
            rate = lower if rate - lower > eps else rate
        rates.append(rate)
    return rates
