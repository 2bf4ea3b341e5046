"""An adaptive softmax with any of its options, and what it computes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.oracles.backpropagation import pulled_back
from ..truth.oracles.jets import Array, Jet
from ..truth.oracles.layers import adaptive_log_softmax
from .modules import fill

FEATURES, CLASSES = 4, 7


@dataclass(frozen=True)
class Adaptive:
    """A softmax whose rarer classes come in clusters, features and targets."""

    cutoffs: Sequence[int]
    options: dict[str, Any]
    x: Array
    targets: Array
    alone: bool
    """Whether there is one sample without a batch."""
    seed: int

    def check(self, be: Subject) -> None:
        """Compare shares, loss, gradients and predictions. Raises AssertionError."""
        rng = np.random.default_rng(self.seed)
        name = "AdaptiveLogSoftmaxWithLoss"
        layer = be.layer(name, FEATURES, CLASSES, list(self.cutoffs), **self.options)
        values = [rng.normal(size=be.numpy(p).shape) / 2 for p in layer.parameters()]
        values = [each.astype(be.dtype).astype(float) for each in values]
        leaf, parameters = be.leaf(self.x), list(fill(be, layer, *values).parameters())
        x, *own = seeds = Jet.seeds([self.x, *values])
        bias = own.pop(1) if self.options["head_bias"] else 0.0
        shares = adaptive_log_softmax(x, own[0], bias, own[1:], self.cutoffs)
        found = layer.log_prob(leaf)
        be.check(found, shares, f"shares of {self}")
        be.same(layer.predict(leaf), be.numpy(found).argmax(1), f"prediction of {self}")
        chosen = shares[np.arange(len(self.x)), self.targets]
        y, loss = layer(leaf, be.tensor(self.targets))
        be.check(y, chosen, f"shares of the targets of {self}")
        true = -chosen.mean()
        be.check(loss, true, f"loss of {self}")
        gradients = be.gradients(loss, [leaf, *parameters], allow_unused=True)
        for got, want in zip(gradients, pulled_back(true, np.ones(()), seeds), strict=True):
            # What no target needs is not computed.
            given = be.tensor(0 * want.value) if got is None else got
            be.check_gradient(given, want, f"gradient of {self}")
        if self.alone:
            single = layer(leaf[0], be.tensor(self.targets)[0])
            be.check(single[0], chosen[0], f"share of one target of {self}")
            be.check(single[1], -chosen[0], f"loss of one target of {self}")


def adaptive(seed: int) -> Adaptive:
    """Draw an adaptive softmax with a seed."""
    rng = np.random.default_rng(seed)
    cutoffs = [[3], [2, 4], [1, 2, 6], [6]][rng.integers(4)]
    options = {"head_bias": bool(rng.integers(2)), "div_value": float(rng.choice([2.0, 1.0, 1.5]))}
    count = int(rng.integers(1, 5))
    x = rng.integers(-8, 9, size=(count, FEATURES)) / 4
    targets = rng.integers(CLASSES, size=count)
    return Adaptive(cutoffs, options, x, targets, bool(rng.integers(2)), seed % 1000)
