"""Gradients that store few of their entries: tables of rows, and walks of optimizers."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.oracles.jets import Jet
from ..truth.oracles.optimizers import STEPS, Memory, sparse_adam
from .arrays import Array
from .sparse import Indices, Stored, numbers, stored

ENTRIES, WIDTH = 4, 2
"""Rows of a table, and their entries."""


@dataclass(frozen=True)
class Bags:
    """Which rows of a table are looked up, and what is made of those of one bag."""

    mode: str
    """"sum" or "mean" of a bag; "" where each row is looked up by itself."""
    rows: Indices
    padding: int | None
    """A row that has no gradient, and no part in a bag."""
    shares: Array | None
    """By how much each row counts in a sum."""

    def layer(self, be: Subject, table: Array, *, sparse: bool) -> Any:
        """Make the layer that looks up rows of a table."""
        options = {"mode": self.mode} if self.mode else {}
        name = "EmbeddingBag" if self.mode else "Embedding"
        made = be.layer(name, ENTRIES, WIDTH, sparse=sparse, padding_idx=self.padding, **options)
        be.set_data(made.weight, be.tensor(table))
        return made

    def looked_up(self, be: Subject, layer: Any) -> Any:
        """Look the rows up: one for each bag."""
        if self.shares is None:
            return layer(be.tensor(self.rows))
        return layer(be.tensor(self.rows), per_sample_weights=be.tensor(self.shares))

    @property
    def weights(self) -> Array:
        """By how much each row of the table counts in each row of the result, as for gradients."""
        count = self.rows[..., None] == np.arange(ENTRIES)
        parts: Array = count * (1.0 if self.shares is None else self.shares[..., None])
        if self.padding is not None:
            parts[..., self.padding] = 0
        if not self.mode:
            return parts
        whole: Array = parts.sum(1)
        return whole if self.mode == "sum" else whole / np.maximum(whole.sum(1, keepdims=True), 1)


def bags(seed: int) -> Bags:
    """Choose up to six bags of rows."""
    rng = np.random.default_rng(seed)
    mode = str(rng.choice(["", "sum", "mean"]))
    shape = (int(rng.integers(1, 7)), *([int(rng.integers(1, 4))] if mode else []))
    rows = rng.integers(0, int(rng.integers(1, ENTRIES + 1)), size=shape)
    padding = int(rng.integers(ENTRIES)) if rng.integers(2) else None
    shares = numbers(rng, *shape) if mode == "sum" and rng.integers(2) else None
    return Bags(mode, rows, padding, shares)


@dataclass(frozen=True)
class SparseDescent:
    """A walk of a table whose gradient stores some of its rows at each step."""

    name: str
    start: Array
    gradients: tuple[Stored, ...]
    options: dict[str, Any]

    def check(self, be: Subject) -> None:
        """Walk on `be`, and compare after every step. Raises AssertionError."""
        leaf, place, memory = be.leaf(self.start), Jet.exact(self.start), Memory()
        optimizer = be.optimizer(self.name, [leaf], **self.options)
        for n, gradient in enumerate(self.gradients):
            be.set_grad(leaf, gradient.of(be, be.tensor(gradient.values)))
            optimizer.step()
            exact = Jet.exact(gradient.spread(gradient.values))
            if self.name == "SparseAdam":
                place = sparse_adam(place, exact, gradient.there, memory, **self.options)
            else:
                place = STEPS[self.name](place, exact, memory, **self.options)
            be.check(leaf, place.total, f"the table after step {n + 1}")
        be.clear(leaf)


OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "SparseAdam": ({}, {"maximize": True}, {"betas": (0.5, 0.75)}),
    "SGD": (
        {},
        {"momentum": 0.5},
        {"momentum": 0.5, "dampening": 0.25},
        {"momentum": 0.5, "nesterov": True},
        {"maximize": True},
    ),
    "Adagrad": (
        {},
        {"lr_decay": 0.5},
        {"initial_accumulator_value": 2.0},
        {"maximize": True, "eps": 0.25},
    ),
}
"""Options besides the rate, by optimizer, with which gradients may be sparse."""


def walk(seed: int, *names: str) -> SparseDescent:
    """Choose a walk of one of some optimizers, over gradients with rows that are stored twice."""
    rng = np.random.default_rng(seed)
    name = names[int(rng.integers(len(names)))]
    options = OPTIONS[name][int(rng.integers(len(OPTIONS[name])))]
    options = {"lr": float(rng.choice([1.0, 0.5, 0.125])), **options}
    if name == "SparseAdam":
        # Where eps is added, before the bias is corrected or after, is left open.
        options["eps"] = 1e-30
    gradients = tuple(stored(rng, "coo", sizes=(ENTRIES,), tail=(WIDTH,)) for _ in range(6))
    gradients = tuple(flat(gradient, int(rng.integers(ENTRIES))) for gradient in gradients)
    return SparseDescent(name, numbers(rng, ENTRIES, WIDTH), gradients, options)


def flat(gradient: Stored, row: int) -> Stored:
    """Let one row, if it is stored, have a gradient of zero."""
    values = np.where((gradient.at[0] == row)[:, None], 0.0, gradient.values)
    return replace(gradient, values=values)
