"""Schedules of rates by PyTorch's names, and what their formulas have for a number of steps."""

import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis.strategies import (
    SearchStrategy,
    fixed_dictionaries,
    integers,
    just,
    sampled_from,
)

from ..protocol.subject import Subject

PLACE = "torch.optim.lr_scheduler"

Formula = Callable[[float, int], float]

CYCLE = {"base_lr": 0.25, "max_lr": 1.25, "step_size_up": 2, "step_size_down": 3, "gamma": 0.5}
ONCE = {"max_lr": 1.0, "total_steps": 20, "pct_start": 0.25, "div_factor": 4.0}


class Inverse:
    """A factor by the number of steps, which is an object, so that a state holds what it is of."""

    def __init__(self, per_step: float) -> None:
        self.per_step = per_step

    def __call__(self, step: int) -> float:
        """Return the factor after so many steps."""
        return 1 / (1 + self.per_step * step)


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
    "CosineAnnealingWarmRestarts, longer": (
        {"T_0": 1, "T_mult": 2},
        lambda r, t: r * (1 + math.cos(math.pi * ((t + 1) / 2 ** _octave(t) - 1))) / 2,
    ),
    "SWALR, cos": (
        {"swa_lr": 0.125, "anneal_epochs": 4, "anneal_strategy": "cos"},
        lambda r, t: _between([(0, r), (4, 0.125), (99, 0.125)], t, bent=True),
    ),
    "SWALR, linear": (
        {"swa_lr": 0.125, "anneal_epochs": 4, "anneal_strategy": "linear"},
        lambda r, t: _between([(0, r), (4, 0.125), (99, 0.125)], t),
    ),
    "LambdaLR": ({"lr_lambda": lambda t: 1 / (1 + t)}, lambda r, t: r / (1 + t)),
    "LambdaLR, an object": ({"lr_lambda": Inverse(1)}, lambda r, t: r / (1 + t)),
    "MultiplicativeLR": ({"lr_lambda": lambda t: 1 - 0.5**t}, lambda r, t: r * _product(t)),
    "CyclicLR, triangular": (
        {**CYCLE, "mode": "triangular"},
        lambda _, t: 0.25 + _height(t),
    ),
    "CyclicLR, triangular2": (
        {**CYCLE, "mode": "triangular2"},
        lambda _, t: 0.25 + _height(t) / 2 ** (t // 5),
    ),
    "CyclicLR, exp_range": (
        {**CYCLE, "mode": "exp_range"},
        lambda _, t: 0.25 + _height(t) * 0.5**t,
    ),
    "OneCycleLR, cos": (
        {**ONCE, "final_div_factor": 8.0, "anneal_strategy": "cos"},
        lambda _, t: _between([(0, 0.25), (4, 1), (19, 0.25 / 8)], t, bent=True),
    ),
    "OneCycleLR, linear": (
        {**ONCE, "final_div_factor": 8.0, "anneal_strategy": "linear", "three_phase": True},
        lambda _, t: _between([(0, 0.25), (4, 1), (8, 0.25), (19, 0.25 / 8)], t),
    ),
    "SequentialLR": (
        {"milestones": [3]},
        lambda r, t: r * (0.25 if t < 3 else 0.5 ** (t - 3)),
    ),
    "SequentialLR, at once": ({"milestones": [0]}, lambda r, t: r * 0.5**t),
    "SequentialLR, of three": (
        {"milestones": [2, 4]},
        lambda r, t: r * (0.25 if t < 2 else 0.5 ** (t - 2) if t < 4 else 0.5 ** ((t - 4) // 3)),
    ),
    "SequentialLR, of steps": (
        {"milestones": [3]},
        lambda r, t: r * (0.25 if t < 3 else 0.5 ** (2 * (t >= 5) + (t >= 8))),
    ),
    "ChainedScheduler": ({}, lambda r, t: r * 0.5 ** (t // 3 + t)),
}
"""The arguments of each schedule, and its rate by the first one and the number of steps.

A name begins with that of the class.
"""

CHOICES: Sequence[tuple[str, dict[str, Any], str, Sequence[Any], Sequence[Any]]] = (
    ("ConstantLR", {}, "factor", (0.0, 1.0), (-0.25, 1.25)),
    ("LinearLR", {}, "start_factor", (0.25, 1.0), (-0.25, 0.0, 1.25)),
    ("LinearLR", {}, "end_factor", (0.0, 1.0), (-0.25, 1.25)),
    ("CosineAnnealingWarmRestarts", {}, "T_0", (1, 4), (0, -1, 1.5)),
    ("CosineAnnealingWarmRestarts", {"T_0": 2}, "T_mult", (1, 2), (0, -1, 1.5)),
    ("OneCycleLR", {"max_lr": 1.0}, "total_steps", (1, 4), (0, -1, 1.5, None)),
    ("OneCycleLR", {"max_lr": 1.0, "epochs": 2}, "steps_per_epoch", (1, 4), (0, -1, 1.5)),
    ("OneCycleLR", {"max_lr": 1.0, "steps_per_epoch": 2}, "epochs", (1, 4), (0, -1, 1.5)),
    ("OneCycleLR", ONCE, "pct_start", (0.0, 1.0), (-0.25, 1.25)),
    ("OneCycleLR", ONCE, "anneal_strategy", ("cos", "linear"), ("step",)),
    ("CyclicLR", CYCLE, "mode", ("triangular", "triangular2", "exp_range"), ("square",)),
    ("ReduceLROnPlateau", {}, "factor", (0.0, 0.75), (1.0, 1.5)),
    ("ReduceLROnPlateau", {}, "mode", ("min", "max"), ("least",)),
    ("ReduceLROnPlateau", {}, "threshold_mode", ("rel", "abs"), ("both",)),
    ("ReduceLROnPlateau", {}, "min_lr", ([0.0],), ([0.0, 0.0],)),
    ("SWALR", {"swa_lr": 0.5}, "anneal_strategy", ("cos", "linear"), ("step",)),
    ("SWALR", {"swa_lr": 0.5}, "anneal_epochs", (0, 4), (-1, 1.5)),
)
"""Schedules, what else they are given, an option, and what it may and may not be."""

PLACES = {"SWALR": "torch.optim.swa_utils"}
"""Where schedules are found that are not at the place of the others."""

PARTS = {
    "SequentialLR": ("ConstantLR", "ExponentialLR"),
    "SequentialLR, of three": ("ConstantLR", "ExponentialLR", "StepLR"),
    "SequentialLR, of steps": ("ConstantLR", "MultiStepLR"),
    "ChainedScheduler": ("StepLR", "ExponentialLR"),
}
"""Schedules that are made of others, one after the other or all at once."""

MOMENTA: Mapping[str, Callable[[int], float]] = {
    "CyclicLR, triangular": lambda t: 0.9 - 0.1 * _height(t),
    "CyclicLR, triangular2": lambda t: 0.9 - 0.1 * _height(t) / 2 ** (t // 5),
    "CyclicLR, exp_range": lambda t: 0.9 - 0.1 * _height(t) * 0.5**t,
    "OneCycleLR, cos": lambda t: _between([(0, 0.95), (4, 0.85), (19, 0.95)], t, bent=True),
    "OneCycleLR, linear": lambda t: _between([(0, 0.95), (4, 0.85), (8, 0.95), (19, 0.95)], t),
}
"""Momentum by the number of steps, between the bounds that PyTorch has by default."""

LOSSES = [-1.0, -0.75, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
"""Losses whose differences are thresholds: a step may be as much better as it has to be."""

NEARLY = {"factor": 0.5, "patience": 0, "threshold": 0.25}
"""A schedule for which a step that is as good as the last one is not good enough."""

OTHER_WAYS = {
    "triangular": "triangular2",
    "triangular2": "exp_range",
    "exp_range": "triangular",
    "cos": "linear",
    "linear": "cos",
}


def _product(steps: int) -> float:
    return math.prod(1 - 0.5**t for t in range(1, steps + 1))


def _octave(step: int) -> int:
    """In which one of the periods of 1, 2, 4, ... steps a step lies."""
    return (step + 1).bit_length() - 1


def _height(step: int) -> float:
    """Up from 0 to 1 in two steps, and down again in three."""
    return min(step % 5 / 2, (5 - step % 5) / 3)


def _between(ends: Sequence[tuple[int, float]], step: int, *, bent: bool = False) -> float:
    """Go from one of the steps and rates to the next, in a line or along half a wave."""
    (start, high), (end, low) = next(pair for pair in pairwise(ends) if step <= pair[1][0])
    part = (step - start) / (end - start)
    return high + (low - high) * ((1 - math.cos(math.pi * part)) / 2 if bent else part)


def plateaus() -> SearchStrategy[dict[str, Any]]:
    """Draw the options of a schedule that waits for a loss to become better."""
    return fixed_dictionaries(
        {
            "factor": just(0.5),
            "patience": integers(0, 2),
            "threshold": sampled_from([0.25, 1e-4]),
            "mode": sampled_from(["min", "max"]),
        },
        optional={
            "threshold_mode": sampled_from(["rel", "abs"]),
            "cooldown": integers(0, 2),
            "min_lr": sampled_from([0.0, 0.25, [0.5, 0.25]]),
            "eps": sampled_from([0.0, 0.25, 0.3]),
        },
    )


def rates_of(name: str, rates: Sequence[float], step: int) -> list[float]:
    """Return the rates of the groups after so many steps."""
    return [RATES[name][1](rate, step) for rate in rates]


def other(argument: Any) -> Any:
    """Make another argument of the same kind; a function, which no state holds, stays."""
    match argument:
        case bool():
            return not argument
        case int():
            return argument + 1
        case float():
            return argument / 2
        case str():
            return OTHER_WAYS[argument]
        case list():
            return [other(each) for each in argument]
        case Inverse():
            return Inverse(argument.per_step + 1)
    return argument


def scheduled(
    be: Subject,
    name: str,
    rates: Sequence[Any],
    *,
    state: Any = None,
    last: int = -1,
    like: bool = True,
    kind: str = "SGD",
) -> tuple[Any, Any]:
    """Make an optimizer with a group for each rate, which loads a `state`, and a schedule for it.

    `last` is the index of the last step that lies behind. Unless it is to be `like` the one of this
    name, the schedule is made with other arguments.
    """
    groups = [{"params": [be.leaf(np.ones(1))], "lr": rate} for rate in rates]
    if last >= 0 and state is None:
        groups = [{**group, "initial_lr": group["lr"]} for group in groups]
    optimizer = be.optimizer(kind, groups)
    if state is not None:
        optimizer.load_state_dict(state)

    def made(name: str, last: int) -> Any:
        word = name.partition(",")[0]
        arguments = RATES[name][0]
        if not like:
            arguments = {key: other(value) for key, value in arguments.items()}
        if word in PARTS:
            behind = last if word == "ChainedScheduler" else -1
            arguments = {
                "schedulers": [made(part, behind) for part in PARTS.get(name, PARTS[word])],
                **arguments,
            }
        if word != "ChainedScheduler":
            arguments = {"optimizer": optimizer, "last_epoch": last, **arguments}
        return be.lookup(f"{PLACES.get(word, PLACE)}:{word}")(**arguments)

    return optimizer, made(name, last)


CYCLES = [name for name in RATES if name.startswith("CyclicLR")]
"""Schedules that go up and down."""


STARTED_LATE = [name for name in RATES if not name.startswith(("OneCycleLR", "SequentialLR"))]
"""Schedules that find in an optimizer all they have to know of the steps before."""


def advanced(be: Subject, name: str, steps: int, *, like: bool = True) -> tuple[Any, Any]:
    """Make an optimizer and a schedule that have taken so many steps."""
    optimizer, schedule = scheduled(be, name, [1.0, 0.5], like=like)
    for _ in range(steps):
        optimizer.step()
        schedule.step()
    return optimizer, schedule


def resume(be: Subject, name: str, before: int, after: int, *, first: bool = False) -> None:
    """Start a schedule at a later step, and compare it with one that has taken those before.

    It is made `first`, or when the optimizer has loaded its state.
    """
    optimizer, schedule = advanced(be, name, before)
    state = deepcopy(optimizer.state_dict())
    loaded = None if first else state
    other, follower = scheduled(be, name, [1.0, 0.5], state=loaded, last=before - 1)
    if first:
        other.load_state_dict(state)
    for step in range(after + 1):
        found, true = ([group["lr"] for group in each.param_groups] for each in (other, optimizer))
        said = f"{name}: {found} after {step} steps, expected {true}"
        assert np.allclose(found, true, rtol=1e-9), said
        for each in (optimizer, schedule, other, follower):
            each.step()


def reload(be: Subject, name: str, before: int) -> None:
    """Load the state of a schedule twice, take a step after each, and look whether it is kept."""
    _, schedule = advanced(be, name, before)
    state = schedule.state_dict()
    kept = deepcopy(state)
    for _ in range(2):
        other, follower = scheduled(be, name, [1.0, 0.5])
        follower.load_state_dict(state)
        other.step()
        follower.step()
        assert state == kept
