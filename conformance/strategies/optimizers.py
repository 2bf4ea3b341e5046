"""Walks of optimizers: where they start, the gradients on the way, and their options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject
from ..truth.oracles.jets import Jet
from ..truth.oracles.optimizers import DEFAULT_RATES, OF_MATRICES, STEPS, Memory
from .arrays import ANY, Array

LENGTH = 12
RATES = (1.0, 0.5, 0.1, 1e-3)
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "SGD": (
        {},
        {"momentum": 0.9},
        {"momentum": 0.5, "dampening": 0.25},
        {"weight_decay": 0.5},
        {"momentum": 0.9, "weight_decay": 0.1, "dampening": 0.5},
    ),
    "SGD, nesterov": (
        {"momentum": 0.9, "nesterov": True},
        {"momentum": 0.5, "nesterov": True, "weight_decay": 0.25},
    ),
    "RMSprop": ({}, {"alpha": 0.5}, {"alpha": 0.9, "eps": 0.5}),
    "Adam": ({}, {"betas": (0.5, 0.75)}, {"betas": (0.9, 0.5), "eps": 0.25}),
    "SGD, rarer": (
        {"maximize": True},
        {"maximize": True, "momentum": 0.9, "weight_decay": 0.5},
    ),
    "RMSprop, rarer": ({"momentum": 0.9}, {"weight_decay": 0.125, "eps": 0.25}),
    "Adam, rarer": (
        {"amsgrad": True, "betas": (0.5, 0.5)},
        {"weight_decay": 0.5, "eps": 0.25},
        {"maximize": True, "weight_decay": 0.25},
    ),
    "AdamW": (
        {},
        {"weight_decay": 0.5},
        {"amsgrad": True, "betas": (0.5, 0.5)},
        {"maximize": True},
    ),
    "Adagrad": (
        {},
        {"lr_decay": 0.5},
        {"weight_decay": 0.5, "eps": 0.25},
        {"initial_accumulator_value": 2.0, "maximize": True},
    ),
    "Adadelta": (
        {"eps": 0.25},
        {"rho": 0.5, "eps": 0.5},
        {"weight_decay": 0.5, "eps": 0.25, "maximize": True},
    ),
    "Adamax": (
        {},
        {"betas": (0.5, 0.75), "eps": 0.25},
        {"weight_decay": 0.5, "eps": 0.25, "maximize": True},
    ),
    "RAdam": (
        {},
        {"betas": (0.5, 0.75), "eps": 0.25},
        {"weight_decay": 0.5, "eps": 0.25, "maximize": True},
        {"weight_decay": 0.5, "eps": 0.25, "decoupled_weight_decay": True},
    ),
}
"""Options besides the learning rate, by kind of walk, which begins with the optimizer's name."""

HALVES = ((0.5, 0.75), (0.75, 0.5))
EVERY: dict[str, dict[str, tuple[Any, ...]]] = {
    "SGD": {"momentum": (0.5, 0.9), "dampening": (0.25,), "nesterov": (True,)},
    "RMSprop": {"alpha": (0.5,), "eps": (0.25,), "momentum": (0.5,), "centered": (True,)},
    "Adam": {
        "betas": HALVES,
        "eps": (0.25,),
        "amsgrad": (True,),
        "decoupled_weight_decay": (True,),
    },
    "AdamW": {"betas": HALVES, "eps": (0.25,), "amsgrad": (True,)},
    "Adagrad": {"lr_decay": (0.5,), "initial_accumulator_value": (2.0,), "eps": (0.25,)},
    "Adadelta": {"rho": (0.5,), "eps": (0.25,)},
    "Adamax": {"betas": HALVES, "eps": (0.25,)},
    "RAdam": {"betas": HALVES, "eps": (0.25,), "decoupled_weight_decay": (True,)},
    "Rprop": {"etas": ((0.5, 2.0), (0.25, 1.5)), "step_sizes": ((0.125, 4.0), (0.25, 1.0))},
}
"""Options by optimizer, to each the values that it may have beside its default."""

OF_MATRICES_ALONE: dict[str, dict[str, tuple[Any, ...]]] = {
    "Adafactor": {
        "lr": (0.5, 0.25, 2.0),
        "beta2_decay": (-0.5, -1.5),
        "eps": ((None, 0.5), (0.5, 1e-3), (0.75, 2.0)),
        "d": (2.0, 1.25),
        "weight_decay": (0.5,),
        "maximize": (True,),
    },
    "Muon": {
        "lr": (0.5, 0.25),
        "weight_decay": (0.5, 0.0),
        "momentum": (0.5, 0.75, 0.0),
        "nesterov": (False,),
        "ns_coefficients": ((1.5, -0.5, 0.0), (2.0, -1.5, 0.5)),
        "eps": (16.0, 1.0),
        "ns_steps": (1, 2, 0),
        "adjust_lr_fn": ("match_rms_adamw", "original"),
    },
}
"""Options of optimizers that look at rows and columns."""

NOT_NEGATIVE: dict[str, str] = {
    "SGD": "lr momentum weight_decay",
    "RMSprop": "lr eps momentum weight_decay",
    "Adam": "lr eps weight_decay",
    "AdamW": "lr eps weight_decay",
    "Adagrad": "lr lr_decay eps weight_decay initial_accumulator_value",
    "Adadelta": "lr rho eps weight_decay",
    "Adamax": "lr eps weight_decay",
    "NAdam": "lr eps weight_decay momentum_decay",
    "RAdam": "lr eps weight_decay",
    "ASGD": "lr weight_decay",
    "Rprop": "lr",
    "Adafactor": "lr weight_decay",
    "Muon": "lr momentum weight_decay",
}
"""Options by optimizer that may be 0, and are refused where they are negative."""

EVERYWHERE = {"lr": RATES, "maximize": (True,), "weight_decay": (0.5,)}


def optimizer(kind: str) -> str:
    """The name of the optimizer of a kind of walk."""
    return kind.partition(",")[0]


@dataclass(frozen=True)
class Descent:
    """A walk: a start of three entries, what is in .grad at each step, and options.

    A gradient may be None, which makes the optimizer skip the parameter.
    """

    name: str
    start: Array
    gradients: Sequence[Array | None]
    options: dict[str, Any]

    def check(self, be: Subject, **how: Any) -> None:
        """Walk on `be`, and compare after every step. Raises AssertionError.

        `how` are options of the optimizer that say how it computes, and not what.

        Beside the parameter that walks, one is put back to 0 before each step: there it is as small
        as the step itself, so that a small error in that shows.
        """
        walking = Walker(be, self, self.start, "the parameter")
        small = Walker(be, self, 0 * self.start, "the parameter that is put back to 0")
        leaves = [walking.leaf, small.leaf]
        optimizer = be.optimizer(self.name, leaves, **{**self.options, **how})
        for n in range(len(self.gradients)):
            small.put_back(be)
            step(be, optimizer, [walking, small], n)


class Walker:
    """A parameter on a walk, and where it has to be."""

    def __init__(self, be: Subject, walk: Descent, start: Array, name: str) -> None:
        self.walk, self.name = walk, name
        self.leaf = be.leaf(start)
        self.place = Jet.exact(start)
        self.memory: Memory = {}

    def put_back(self, be: Subject) -> None:
        """Stand at 0, whatever the optimizer remembers."""
        self.place = Jet.exact(np.zeros_like(self.place.value))
        be.zero_(be.data(self.leaf))

    def check(self, be: Subject, n: int) -> None:
        """Compare after step `n`, counted from 0. Raises AssertionError."""
        if (gradient := self.walk.gradients[n]) is not None:
            move = (STEPS | OF_MATRICES)[self.walk.name]
            exact = Jet.exact(gradient)
            options = {"lr": DEFAULT_RATES.get(self.walk.name), **self.walk.options}
            self.place = move(self.place, exact, self.memory, **options)
        true = self.place.total
        true = replace(true, error_bound=true.error_bound + self.memory.get("error_bound", 0.0))
        be.check(self.leaf, true, f"{self.name} after step {n + 1} by {self.walk.options}")


def step(be: Subject, optimizer: Any, walkers: Sequence[Walker], n: int) -> None:
    """Take step `n` of several walks, counted from 0, and compare. Raises AssertionError."""
    for walker in walkers:
        gradient = walker.walk.gradients[n]
        be.set_grad(walker.leaf, None if gradient is None else be.tensor(gradient))
    optimizer.step()
    for walker in walkers:
        walker.check(be, n)


def check_together(be: Subject, walks: Sequence[Descent], saved: int, *, added: bool) -> None:
    """Walk several walks at once, each in a group with its options. Raises AssertionError.

    All groups but the first are `added` later, or not; after `saved` steps another optimizer, which
    was made with nothing of this, takes over the state and goes on.
    """
    walkers = [
        Walker(be, walk, walk.start, f"the parameter of group {k}") for k, walk in enumerate(walks)
    ]
    groups = [{"params": [each.leaf], **each.walk.options} for each in walkers]
    optimizer = be.optimizer(walks[0].name, groups[:1] if added else groups, lr=0.125)
    for group in groups[1:] if added else ():
        optimizer.add_param_group(group)
    for n in range(len(walks[0].gradients)):
        if n == saved:
            state = optimizer.state_dict()
            leaves = [{"params": [each.leaf]} for each in walkers]
            optimizer = be.optimizer(walks[0].name, leaves, lr=0.125)
            optimizer.load_state_dict(state)
        step(be, optimizer, walkers, n)


def check_beside_nothing(be: Subject, name: str, shape: tuple[int, ...], **how: Any) -> None:
    """Step a parameter beside one without entries, and by itself. Raises AssertionError."""
    empty, leaf, alone = (be.leaf(np.ones(size)) for size in (shape, (2, 2), (2, 2)))
    for each in (empty, leaf, alone):
        be.set_grad(each, be.ones_like(each))
    be.optimizer(name, [empty, leaf], lr=0.5, **how).step()
    be.optimizer(name, [alone], lr=0.5, **how).step()
    be.same(leaf, alone)


@cache
def descents(*kinds: str, gaps: bool = False) -> st.SearchStrategy[Descent]:
    """Draw a walk of one of these kinds of `OPTIONS`.

    With `gaps`, half of its gradients are None and a quarter is zero.

    All comes in one draw: a byte for the kind, one for its options and one for the rate, then those
    for the start and, step by step, for whether there is a gradient, and for its entries.
    """

    def decoded(codes: bytes) -> Descent:
        kind = kinds[codes[0] % len(kinds)]
        options = {
            "lr": RATES[codes[2] % len(RATES)],
            **OPTIONS[kind][codes[1] % len(OPTIONS[kind])],
        }
        start, steps = np.split(np.frombuffer(codes, np.uint8)[3:].reshape(-1, 4), [1])
        gradients = [ANY[entries] for _, *entries in steps]
        for n, code in enumerate(steps[:, 0] % 4 if gaps else ()):
            gradients[n] = (gradients[n], None, 0 * gradients[n], None)[code]
        return Descent(optimizer(kind), ANY[start[0, 1:]], gradients, options)

    count = 3 + 4 * (1 + LENGTH)
    return st.binary(min_size=count, max_size=count).map(decoded)


@cache
def descents_by_any_options(*names: str) -> st.SearchStrategy[Descent]:
    """Draw a walk of one of these optimizers, or of any, by any number of its options at once.

    Its rate is one of them.

    All comes in one draw, as in `descents`: a byte for the optimizer, one for each option, which is
    given if it is odd, and those for the start and the gradients.
    """
    most, chosen = 9, names or tuple(EVERY)

    def decoded(codes: bytes) -> Descent:
        name = chosen[codes[0] % len(chosen)]
        options = {
            option: values[code // 2 % len(values)]
            for (option, values), code in zip(
                {**EVERYWHERE, **EVERY[name]}.items(), codes[1:], strict=False
            )
            if code % 2 and (name, option) != ("Rprop", "weight_decay")
        }
        if "nesterov" in options:
            options = {"momentum": 0.5, **options, "dampening": 0.0}
        start, steps = np.split(np.frombuffer(codes, np.uint8)[most:].reshape(-1, 3), [1])
        return Descent(name, ANY[start[0]], [ANY[entries] for entries in steps], options)

    count = most + 3 * (1 + LENGTH)
    return st.binary(min_size=count, max_size=count).map(decoded)


def descent_of_a_matrix(name: str, seed: int) -> Descent:
    """Draw a walk of an optimizer that looks at rows and columns, by any of its options at once.

    Half of the walks are along one matrix, most of which is zero, and no two rows or columns of
    which meet: what iterations make of it is known with more digits.
    """
    rng = np.random.default_rng(seed)
    shapes = [(3, 2), (2, 3), (4, 4), (1, 4), (3, 1), *([(3,), (2, 3, 2)] * (name == "Adafactor"))]
    shape = shapes[rng.integers(len(shapes))]
    gradients = [ANY[rng.integers(256, size=shape)] for _ in range(6)]
    if rng.random() < 0.5 and len(shape) == 2:
        chosen = rng.permutation(max(shape))[: shape[0], None] == np.arange(shape[1])
        gradients = [chosen * ANY[rng.integers(256)] for _ in gradients]
    start = ANY[rng.integers(256, size=shape)]
    return Descent(name, start, gradients, _some_of(OF_MATRICES_ALONE[name], rng))


def descents_in_groups(name: str, seed: int) -> list[Descent]:
    """Draw walks of an optimizer, each by options of its own, and with gaps."""
    rng = np.random.default_rng(seed)
    walks = []
    for n in range(rng.integers(2, 4)):
        if name in OF_MATRICES_ALONE:
            walk = descent_of_a_matrix(name, seed + n)
        else:
            options = _some_of({**EVERYWHERE, **EVERY[name]}, rng)
            if name == "Rprop":
                options.pop("weight_decay", None)
            if "nesterov" in options:
                options = {"momentum": 0.5, **options, "dampening": 0.0}
            start, *gradients = (ANY[rng.integers(256, size=3)] for _ in range(7))
            walk = Descent(name, start, gradients, options)
        there = [None if rng.random() < 0.25 else g for g in walk.gradients]
        walks.append(replace(walk, gradients=there, options={"lr": 0.25, **walk.options}))
    return walks


def _some_of(options: Mapping[str, tuple[Any, ...]], rng: np.random.Generator) -> dict[str, Any]:
    return {
        option: values[rng.integers(len(values))]
        for option, values in options.items()
        if rng.random() < 0.5
    }
