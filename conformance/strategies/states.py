"""States of modules and optimizers: trees of layers, and a run that can be stopped and resumed."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject
from .arrays import Array

STATISTICS = ("running_mean", "running_var", "num_batches_tracked")

LAYERS: Mapping[str, tuple[tuple[Any, ...], tuple[str, ...]]] = {
    "Linear": ((3, 2), ("weight", "bias")),
    "BatchNorm1d": ((2,), ("weight", "bias", *STATISTICS)),
    "PReLU": ((), ("weight",)),
    "ReLU": ((), ()),
}
"""Layers, with their sizes and the names of their tensors: parameters first, then buffers."""

Tree = str | dict[str, Any]


@cache
def trees() -> st.SearchStrategy[Tree]:
    """Draw a module: dicts of modules by name, down to names of `LAYERS`."""
    branch = st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True)
    return st.recursive(
        st.sampled_from(list(LAYERS)),
        lambda inner: branch.flatmap(
            lambda names: st.tuples(*[inner] * len(names)).map(
                lambda parts: dict(zip(names, parts, strict=True))
            )
        ),
        max_leaves=5,
    )


def grown(be: Subject, tree: Tree) -> Any:
    """Make the module."""
    if isinstance(tree, str):
        return be.layer(tree, *LAYERS[tree][0])
    return be.layer("ModuleDict", {name: grown(be, part) for name, part in tree.items()})


def keys(tree: Tree) -> list[str]:
    """Name the tensors of the module: the way to each, with dots between the steps."""
    if isinstance(tree, str):
        return list(LAYERS[tree][1])
    return [f"{name}.{key}" for name, part in tree.items() for key in keys(part)]


class Course:
    """Two networks that learn in turn, each by an optimizer of its own, with dropout between them.

    What it does next depends on both networks, on both optimizers and on the random state.
    """

    def __init__(self, be: Subject, rate: float) -> None:
        self.be = be
        layers = [be.layer("Linear", 3, 4), be.layer("PReLU"), be.layer("Dropout", 0.5)]
        self.parts = {
            "model A": be.layer("Sequential", *layers),
            "model B": be.layer("Linear", 4, 2),
        }
        a, b = (list(model.parameters()) for model in self.parts.values())
        self.parts["optimizer A"] = be.optimizer("SGD", a, lr=rate, momentum=0.9)
        self.parts["optimizer B"] = be.optimizer("Adam", b, lr=rate)
        self.step = 0

    def learn(self, rows: Sequence[Array]) -> list[Array]:
        """Take a step for each batch (n, 3), and return what the networks said before each."""
        said = []
        for batch in rows:
            y = self.parts["model B"](self.parts["model A"](self.be.tensor(batch)))
            said.append(self.be.numpy(y))
            for name in ("optimizer A", "optimizer B"):
                self.parts[name].zero_grad()
            self.be.backward(y, np.full((len(batch), 2), 1.0 + self.step))
            for name in ("optimizer A", "optimizer B"):
                self.parts[name].step()
            self.step += 1
        return said

    def checkpoint(self) -> dict[str, Any]:
        """Gather everything that is needed to go on from here."""
        states = {name: part.state_dict() for name, part in self.parts.items()}
        return {**states, "step": self.step, "random": self.be.random_state(self.be.device)}

    def resume(self, checkpoint: Mapping[str, Any]) -> None:
        """Take over what the checkpoint holds; parts that it leaves out stay as they are."""
        for name, part in self.parts.items():
            if name in checkpoint:
                part.load_state_dict(checkpoint[name])
        self.step = checkpoint["step"]
        self.be.set_random_state(checkpoint["random"], self.be.device)
