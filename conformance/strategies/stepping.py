"""Optimizers told how to step: differentiably, captured, or fused, and what is true of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.oracles.backpropagation import pulled_back
from ..truth.oracles.jets import Array, Jet
from ..truth.oracles.optimizers import STEPS, Memory
from .optimizers import Walker, descents_in_groups, step

HALVES = {"betas": (0.5, 0.75), "eps": 0.25}
"""Rates of means of which PyTorch keeps all digits."""

LEARNT = ("SGD", "Adam", "AdamW")
"""Optimizers whose rate may be a tensor that has a gradient."""

DIFFERENTIABLE: Mapping[str, tuple[dict[str, Any], ...]] = {
    "SGD": ({}, {"weight_decay": 0.5}, {"maximize": True}),
    "RMSprop": (
        {"alpha": 0.5, "eps": 0.25},
        {"momentum": 0.5, "eps": 0.25},
        {"weight_decay": 0.5, "maximize": True, "eps": 0.25},
    ),
    "Adagrad": (
        {"eps": 0.25},
        {"lr_decay": 0.5, "eps": 0.25},
        {"weight_decay": 0.5, "maximize": True, "initial_accumulator_value": 2.0},
    ),
    "Adadelta": (
        {"rho": 0.5, "eps": 0.25},
        {"weight_decay": 0.5, "maximize": True, "eps": 0.5},
    ),
    "RAdam": (
        HALVES,
        {**HALVES, "weight_decay": 0.5, "maximize": True},
        {**HALVES, "weight_decay": 0.5, "decoupled_weight_decay": True},
    ),
    "ASGD": ({"lambd": 0.5, "alpha": 0.0}, {"lambd": 0.0, "weight_decay": 0.5, "maximize": True}),
}
"""Options of optimizers whose steps are differentiated."""

REMEMBERING: Mapping[str, tuple[dict[str, Any], ...]] = {
    "RMSprop": ({"centered": True, "alpha": 0.5, "eps": 0.25},),
    "Adamax": (HALVES, {**HALVES, "weight_decay": 0.5, "maximize": True}),
    "Rprop": ({"etas": (0.5, 2.0)}, {"etas": (0.5, 2.0), "maximize": True}),
}
"""Those of optimizers that compare with what they remember."""

CORRECTED: Mapping[str, tuple[dict[str, Any], ...]] = {
    "NAdam": ({**HALVES, "momentum_decay": 0.0, "weight_decay": 0.5},),
    **{
        name: (HALVES, {**HALVES, "weight_decay": 0.5}, {**HALVES, "maximize": True})
        for name in ("Adam", "AdamW")
    },
}
"""Those of optimizers that correct the bias of their means."""

LARGEST: Mapping[str, tuple[dict[str, Any], ...]] = {
    name: ({**HALVES, "amsgrad": True},) for name in ("Adam", "AdamW")
}
"""Those that remember the largest mean."""

USUAL: Mapping[str, tuple[dict[str, Any], ...]] = {
    name: ({"eps": 0.25}, {"eps": 0.25, "betas": (0.5, 0.9)}) for name in ("Adam", "AdamW")
}
"""Rates of means that float32 has no more than a few digits of, where they are near 1."""


@dataclass(frozen=True)
class Recorded:
    """Some steps of an optimizer that is told to be differentiable."""

    name: str
    options: dict[str, Any]
    values: Sequence[Array]
    """A parameter, its gradients, and last the rate if that is learnt."""
    learnt: bool
    w: Array

    def check(self, be: Subject) -> None:
        """Compare the place, and its gradient for what led there. Raises AssertionError."""
        values = [each.astype(be.dtype).astype(np.float64) for each in self.values]
        leaves, seeds = [be.leaf(each) for each in values], Jet.seeds(values)
        rate, exact = (leaves[-1], seeds[-1]) if self.learnt else (0.25, 0.25)
        count = len(values) - self.learnt
        parameter, place, memory = leaves[0] * 1, seeds[0], Memory()
        told = {"foreach": False, "differentiable": True, **self.options}
        optimizer = be.optimizer(self.name, [parameter], lr=rate, **told)
        for gradient, seed in zip(leaves[1:count], seeds[1:count], strict=True):
            be.retain_grad(parameter)
            be.set_grad(parameter, gradient * 1)
            optimizer.step()
            place = STEPS[self.name](place, seed, memory, lr=exact, **self.options)
        what = f"of {self.name} by {self.options}"
        found = be.gradients(parameter, leaves, be.tensor(self.w), allow_unused=True)
        be.check(parameter, place, f"place {what}")
        for got, want in zip(found, pulled_back(place, self.w, seeds), strict=True):
            be.check_gradient(got, want, f"gradient through steps {what}")


def recorded(kinds: Mapping[str, tuple[dict[str, Any], ...]], seed: int) -> Recorded:
    """Draw some steps of one of these optimizers, along gradients that are not 0."""
    rng = np.random.default_rng(seed)
    name = list(kinds)[rng.integers(len(kinds))]
    options = kinds[name][rng.integers(len(kinds[name]))]
    # What is divided by roots of squares has no derivative at 0.
    values = [rng.choice([-1, 1], 3) * rng.uniform(0.5, 2, 3) for _ in range(rng.integers(2, 5))]
    learnt = name in LEARNT and rng.random() < 0.5
    rate = [np.array(rng.uniform(0.125, 0.5))] if learnt else []
    return Recorded(name, options, values + rate, learnt, rng.integers(1, 9, 3) / 4)


# ---- one way after another -----------------------------------------------------------------------

WAYS: Mapping[str, Sequence[dict[str, bool]]] = {
    name: ({"foreach": False}, {"foreach": True}, *([{"fused": True}] * fused))
    for name, fused in (
        ("SGD", True), ("Adam", True), ("AdamW", True), ("Adagrad", True), ("RMSprop", False),
        ("Adadelta", False), ("Adamax", False), ("RAdam", False), ("Rprop", False),
    )
}  # fmt: skip
"""How optimizers can be told to compute a step."""


def check_ways_in_turn(be: Subject, name: str, seed: int) -> None:
    """Walk several walks, each in a group, and change the way of computing. Raises AssertionError.

    Before each step another optimizer takes over the state, and goes on in its own way.
    """
    rng, walks = np.random.default_rng(seed), descents_in_groups(name, seed)
    for walk in walks:
        # That groups of Adagrad begin with values of their own is asked apart.
        walk.options.pop("initial_accumulator_value", None)
    walkers = [
        Walker(be, walk, walk.start, f"the parameter of group {k}") for k, walk in enumerate(walks)
    ]
    optimizer = None
    for n in range(len(walks[0].gradients)):
        way = WAYS[name][int(rng.integers(len(WAYS[name])))]
        groups = [{"params": [each.leaf], **each.walk.options} for each in walkers]
        told = {"foreach": None, **({"fused": None} if len(WAYS[name]) == 3 else {}), **way}
        made = be.optimizer(name, groups, **told)
        if optimizer is not None:
            state = optimizer.state_dict()
            for group in state["param_groups"]:
                group.update(told)
            made.load_state_dict(state)
        optimizer = made
        step(be, optimizer, walkers, n)


def check_dtypes_together(
    be: Subject, name: str, way: Mapping[str, bool], gradients: Sequence[Array], gap: int
) -> None:
    """Step parameters of several dtypes beside each other, and alone. Raises AssertionError.

    The one at the place `gap`, if there is one, has no gradient in the second step.
    """
    kinds = [("float32", 5), ("float64", 3), ("float32", 1), ("bfloat16", 5)]
    every = [
        [be.backend.leaf(np.ones(size), dtype, be.device) for dtype, size in kinds]
        for _ in range(2)
    ]
    optimizers = [be.optimizer(name, every[0], lr=0.5, **way)]
    optimizers += [be.optimizer(name, [leaf], lr=0.5, **way) for leaf in every[1]]
    for n, gradient in enumerate(gradients):
        for leaves in every:
            for k, (leaf, (dtype, size)) in enumerate(zip(leaves, kinds, strict=True)):
                grad = be.backend.tensor(gradient[:size] / 3, dtype, be.device)
                be.set_grad(leaf, None if n == 1 and k == gap else grad)
        for optimizer in optimizers:
            optimizer.step()
        for got, want, (dtype, _) in zip(*every, kinds, strict=True):
            be.same(got, want, f"parameter of {dtype} after step {n + 1} by {name}, {way}")
