"""Layers whose weight is computed of other parameters."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.oracles.backpropagation import pulled_back
from ..truth.oracles.jets import Jet
from .arrays import Array

LAYERS = {
    "Linear": ((4, 3), (3, 4)),
    "Conv1d": ((3, 2, 2), (2, 3, 2)),
    "ConvTranspose1d": ((2, 3, 2), (2, 3, 2)),
    "Bilinear": ((3, 2, 2), (2, 3, 2)),
}
"""How layers are made, and the shape of their weights, which have twelve entries each."""


def parametrized(be: Subject, kind: str, weight: Array, name: str, **options: Any) -> Any:
    """Make a layer without a bias whose weight, given at first, is computed from then on."""
    arguments, shape = LAYERS[kind]
    layer = be.layer(kind, *arguments, bias=False)
    return computed_from_now_on(be, layer, weight.reshape(shape), name, **options)


def computed_from_now_on(be: Subject, layer: Any, weight: Array, name: str, **options: Any) -> Any:
    """Give a layer this weight, and have it computed by a parametrization of this name."""
    with be.no_grad():
        be.copy_(layer.weight, be.tensor(weight))
    with be.fork_random():
        be.manual_seed(0)
        return be.lookup(f"torch.nn.utils.parametrizations:{name}")(layer, **options)


def parameters_of(be: Subject, layer: Any) -> tuple[list[Any], list[Jet]]:
    """Return what the weight of a layer is computed of, and jets that differentiate by it."""
    of = list(layer.parametrizations.weight.parameters())
    return of, Jet.seeds([be.numpy(parameter).astype(np.float64) for parameter in of])


def check_weight(
    be: Subject, layer: Any, of: Sequence[Any], seeds: Sequence[Jet], computed: Jet, w: Array
) -> None:
    """Check the weight, which is used once, and the gradients that reach what it is computed of."""
    weight = layer.weight
    be.check(weight, computed)
    gradients = be.gradients(weight, of, be.tensor(w.reshape(computed.shape)))
    for found, expected in zip(gradients, pulled_back(computed, w, seeds), strict=True):
        be.check(found, expected)


def orthogonal(be: Subject, weight: Array, way: str, *, based: bool) -> Any:
    """Make a module that has nothing but a weight, computed by orthogonal from now on."""
    module = be.module()()
    module.weight = be.lookup("torch.nn:Parameter")(be.tensor(weight))
    register = be.lookup("torch.nn.utils.parametrizations:orthogonal")
    with be.fork_random():
        return register(module, "weight", way, use_trivialization=based)


def older(be: Subject, name: str) -> Callable[..., Any]:
    """Return the function of this name that computes a weight before each call, by a hook."""
    usual = be.lookup(f"torch.nn.utils:{name}")

    def computing(layer: Any, dim: int) -> Any:
        # PyTorch says that parametrizations are to take its place.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return usual(layer, dim=dim)

    return computing
