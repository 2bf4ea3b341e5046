"""Schedules of rates by PyTorch's names, and what their formulas have for a number of steps."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..protocol.subject import Subject

PLACE = "torch.optim.lr_scheduler"

Formula = Callable[[float, int], float]

RATES: Mapping[str, tuple[dict[str, Any], Formula]] = {
    "StepLR": ({"step_size": 3, "gamma": 0.5}, lambda r, t: r * 0.5 ** (t // 3)),
    "MultiStepLR": (
        {"milestones": [2, 2, 5], "gamma": 0.5},
        lambda r, t: r * 0.5 ** (2 * (t >= 2) + (t >= 5)),
    ),
    "ConstantLR": ({"factor": 0.25, "total_iters": 4}, lambda r, t: r * (0.25 if t < 4 else 1)),
    "LinearLR": (
        {"start_factor": 0.25, "end_factor": 0.75, "total_iters": 4},
        lambda r, t: r * (0.25 + 0.5 * min(t, 4) / 4),
    ),
    "ExponentialLR": ({"gamma": 0.5}, lambda r, t: r * 0.5**t),
    "PolynomialLR": (
        {"total_iters": 6, "power": 2.0},
        lambda r, t: r * (1 - min(t, 6) / 6) ** 2,
    ),
    "CosineAnnealingLR": (
        {"T_max": 5, "eta_min": 0.125},
        lambda r, t: 0.125 + (r - 0.125) * (1 + math.cos(math.pi * t / 5)) / 2,
    ),
    "CosineAnnealingWarmRestarts": (
        {"T_0": 4, "eta_min": 0.125},
        lambda r, t: 0.125 + (r - 0.125) * (1 + math.cos(math.pi * (t % 4) / 4)) / 2,
    ),
    "LambdaLR": ({"lr_lambda": lambda t: 1 / (1 + t)}, lambda r, t: r / (1 + t)),
    "MultiplicativeLR": ({"lr_lambda": lambda t: 1 - 0.5**t}, lambda r, t: r * _product(t)),
}
"""The arguments of each schedule, and its rate by the first one and the number of steps."""

CHAINS = ("SequentialLR", "ChainedScheduler")
"""Schedules that are made of others."""


def _product(steps: int) -> float:
    return math.prod(1 - 0.5**t for t in range(1, steps + 1))


def rates_of(name: str, rates: Sequence[float], step: int) -> list[float]:
    """Return the rates of the groups after so many steps."""
    return [RATES[name][1](rate, step) for rate in rates]


def scheduled(
    be: Subject, name: str, rates: Sequence[float], *, state: Any = None, last: int = -1
) -> tuple[Any, Any]:
    """Make an optimizer with a group for each rate, which loads a `state`, and a schedule for it.

    `last` is the index of the last step that lies behind.
    """
    groups = [{"params": [be.leaf(np.ones(1))], "lr": rate} for rate in rates]
    optimizer = be.optimizer("SGD", groups)
    if state is not None:
        optimizer.load_state_dict(state)

    def made(word: str, last: int) -> Any:
        return be.lookup(f"{PLACE}:{word}")(optimizer, last_epoch=last, **RATES[word][0])

    if name == "SequentialLR":
        parts = [made("ConstantLR", -1), made("ExponentialLR", -1)]
        return optimizer, be.lookup(f"{PLACE}:{name}")(optimizer, parts, [3], last_epoch=last)
    if name == "ChainedScheduler":
        parts = [made("StepLR", last), made("ExponentialLR", last)]
        return optimizer, be.lookup(f"{PLACE}:{name}")(parts)
    return optimizer, made(name, last)
