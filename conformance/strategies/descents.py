"""Walks of optimizers: where they start, the gradients on the way, and their options."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..oracles.optimizers import WALKS
from ..rounding import Rounded
from ..subject import Subject
from ..tolerance import Total
from .arrays import ANY, Array

STEPS = 12
RATES = (1.0, 0.5, 0.1, 1e-3)
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "SGD": (
        {},
        {"momentum": 0.9},
        {"momentum": 0.5, "dampening": 0.25},
        {"weight_decay": 0.5},
        {"momentum": 0.9, "weight_decay": 0.1, "dampening": 0.5},
    ),
    "nesterov": (
        {"momentum": 0.9, "nesterov": True},
        {"momentum": 0.5, "nesterov": True, "weight_decay": 0.25},
    ),
    "RMSprop": ({}, {"alpha": 0.5}, {"alpha": 0.9, "eps": 0.5}),
    "Adam": ({}, {"betas": (0.5, 0.75)}, {"betas": (0.9, 0.5), "eps": 0.25}),
}
"""Options besides the learning rate, by kind of walk; nesterov is one of SGD's."""


@dataclass(frozen=True)
class Descent:
    """A walk: a start of three entries, what is in .grad at each step, and options.

    A gradient may be None, which makes the optimizer skip the parameter.
    """

    name: str
    start: Array
    gradients: Sequence[Array | None]
    options: dict[str, Any]

    def totals(self, start: Array) -> list[Total]:
        """Return where the parameter is after each step, and how sure that is."""
        there = (Rounded.exact(g) for g in self.gradients if g is not None)
        walk = WALKS[self.name](Rounded.exact(start), there, **self.options)
        at, found = Rounded.exact(start), []
        for gradient in self.gradients:
            at = at if gradient is None else next(walk)
            found.append(at.total)
        return found

    def check(self, be: Subject) -> None:
        """Walk on `be`, from the start and from 0, and compare every step. Raises AssertionError.

        From 0 on, a parameter is as small as the steps, so that a small error in one of them shows.
        """
        starts = self.start, 0 * self.start
        leaves = [be.leaf(start) for start in starts]
        optimizer = be.optimizer(self.name, leaves, **self.options)
        expected = zip(*[self.totals(start) for start in starts], strict=True)
        for n, (gradient, totals) in enumerate(zip(self.gradients, expected, strict=True), start=1):
            for leaf in leaves:
                # Each leaf gets a tensor of its own.
                be.set_grad(leaf, None if gradient is None else be.tensor(gradient))
            optimizer.step()
            for leaf, total in zip(leaves, totals, strict=True):
                be.check(leaf, total, f"the parameter after step {n}")


@cache
def descents(*kinds: str, gaps: bool = False) -> st.SearchStrategy[Descent]:
    """Draw a walk of one of these kinds of `OPTIONS`; with `gaps`, half of its gradients are None.

    All comes in one draw: a byte for the kind, one for its options and one for the rate, then those
    for the start and, step by step, for whether there is a gradient, and for its entries.
    """

    def decoded(codes: bytes) -> Descent:
        kind = kinds[codes[0] % len(kinds)]
        options = {
            "lr": RATES[codes[2] % len(RATES)],
            **OPTIONS[kind][codes[1] % len(OPTIONS[kind])],
        }
        start, *steps = np.frombuffer(codes, np.uint8)[3:].reshape(-1, 4)
        gradients = [None if gaps and step[0] % 2 else ANY[step[1:]] for step in steps]
        return Descent("SGD" if kind == "nesterov" else kind, ANY[start[1:]], gradients, options)

    count = 3 + 4 * (1 + STEPS)
    return st.binary(min_size=count, max_size=count).map(decoded)
