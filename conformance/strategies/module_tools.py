"""Lazy layers with any of their options, and the layers that they become."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from .arrays import Array
from .distributions import around

CONVOLVED = {"stride": 2, "padding": 1, "bias": False, "dilation": 2}
NORMALIZED = {"eps": 0.25, "momentum": 0.5, "affine": False, "track_running_stats": False}

LAZY: Mapping[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "Linear": ((3,), {"bias": False}),
    **{f"{name}{n}d": ((3, 2), CONVOLVED) for name in ("Conv", "ConvTranspose") for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": ((), NORMALIZED) for n in (1, 2, 3)},
    **{
        f"InstanceNorm{n}d": ((), {**NORMALIZED, "affine": True, "track_running_stats": True})
        for n in (1, 2, 3)
    },
}
"""Layers by what follows their word "Lazy": sizes that they are told, and options."""


@dataclass(frozen=True)
class Lazy:
    """A layer that is told no size of its input, options, and an input."""

    name: str
    options: dict[str, Any]
    x: Array

    def check(self, be: Subject, *, training: bool) -> None:
        """Compare it with the layer that is told all sizes. Raises AssertionError."""
        with be.fork_random():
            self._check(be, training=training)

    def _check(self, be: Subject, *, training: bool) -> None:
        sizes, leaf = LAZY[self.name][0], be.leaf(self.x)
        eager = be.layer(self.name, self.x.shape[1], *sizes, **self.options).train(training)
        waiting, loading, other = (
            be.layer(f"Lazy{self.name}", *sizes, **self.options).train(training) for _ in range(3)
        )
        assert waiting.has_uninitialized_params() is bool(eager.state_dict())
        loading.load_state_dict(eager.state_dict())
        y = waiting(leaf)
        # A lazy instance normalization that has loaded a state is asked apart.
        loads = "Instance" not in self.name
        for layer in (waiting, loading) if loads else (waiting,):
            if layer is loading:
                true = eager(leaf)
                be.same(layer(leaf), true, f"result of {self}")
            assert type(layer) is type(eager), f"class of {self}"
            if layer is waiting:
                assert layer.extra_repr() == eager.extra_repr(), f"options of {self}"
            assert _shapes(layer) == _shapes(eager), f"parameters and buffers of {self}"
        eager.load_state_dict(waiting.state_dict())
        other.load_state_dict(waiting.state_dict())
        layers = (eager, waiting, other) if loads else (eager, waiting)
        results = [layer(leaf) for layer in layers]
        for found in results[1:]:
            be.same(found, results[0], f"result of {self} with the state of another")
        w = be.ones_like(y)
        wanted, *found = (
            be.gradients(result, [leaf, *layer.parameters()], w)
            for result, layer in zip(results, layers, strict=True)
        )
        # In which order a device adds them up may differ from pass to pass.
        for each in found:
            for got, want in zip(each, wanted, strict=True):
                true = be.numpy(want).astype(float)
                be.check_gradient(got, around(true, np.abs(true).max()), f"gradient of {self}")


def _shapes(layer: Any) -> dict[str, tuple[tuple[int, ...], bool]]:
    return {
        name: (tuple(x.shape), x.requires_grad)
        for name, x in layer.state_dict(keep_vars=True).items()
    }


def lazy(seed: int) -> Iterator[Lazy]:
    """Draw options and an input for a linear layer and for each third of the others with a seed."""
    names = sorted(LAZY.keys() - {"Linear"})[seed % 3 :: 3]
    for n, name in enumerate(("Linear", *names)):
        yield _lazy(name, np.random.default_rng([seed, n]))


def _lazy(name: str, rng: np.random.Generator) -> Lazy:
    options = {key: value for key, value in LAZY[name][1].items() if rng.random() < 0.5}
    if not {"affine", "track_running_stats"} - options.keys() and "Batch" in name:
        del options["affine"]
    if "Instance" in name:
        options = {"affine": True, "track_running_stats": False, **options}
    axes = 0 if name == "Linear" else int(name[-2])
    return Lazy(name, options, rng.normal(size=(3, int(rng.integers(1, 5)), *[5] * axes)))
