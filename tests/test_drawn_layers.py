"""What is drawn for layers and optimizers: points are reached, and numbers stay exact."""

import numpy as np
import pytest
from test_drawn_calls import shares

from gradspec.conformance.strategies.layers import (
    GEOMETRIES,
    classified,
    convolutions,
    perceptrons,
    poolings,
)
from gradspec.conformance.strategies.modules import lenet_values, ternary
from gradspec.conformance.strategies.optimizers import descents
from gradspec.conformance.truth.oracles import layers
from gradspec.conformance.truth.oracles.steps import directional_derivative

EXACT = 2**24
"""Whole numbers below it are exact in float32."""

DRAWN = {
    "a row to be left out": (classified(), lambda c: c.ignored.any()),
    "rows of all labels": (classified(), lambda c: len({*c.labels}) > 1),
    "a window that is not square": (poolings(), lambda p: p.size[0] != p.size[1]),
    "windows that overlap": (poolings(), lambda p: p.stride[0] < p.size[0]),
    "an incomplete window": (poolings(), lambda p: (p.x.shape[2] - p.size[0]) % p.stride[0]),
    "a hidden layer": (perceptrons(), lambda p: len(p.parameters) > 2),
    "a missing gradient": (
        descents("SGD", gaps=True),
        lambda d: 2 < sum(g is None for g in d.gradients) < 10,
    ),
    "a gradient of zeros": (
        descents("Adam", gaps=True),
        lambda d: any(g is not None and not g.any() for g in d.gradients),
    ),
    "momentum": (descents("SGD"), lambda d: d.options.get("momentum")),
    "decay": (descents("SGD"), lambda d: d.options.get("weight_decay")),
}


@pytest.mark.parametrize("point", DRAWN)
def test_draws_reach(point):
    strategy, reached = DRAWN[point]
    (share,) = shares(strategy, reached)
    assert share > 0.15


def test_every_geometry_is_drawn():
    tested = [lambda c, g=g: c.x.shape == g.images and c.sizes[2] == g.kernel for g in GEOMETRIES]
    assert min(shares(convolutions(), *tested)) > 0.02


def test_perceptrons_stay_exact():
    """The gradient of the sum of squares, computed from magnitudes, bounds every partial sum."""

    def largest(case):
        parameters = [np.abs(p) for p in case.parameters]
        errors = layers.perceptron(np.abs(case.x), *parameters) + np.abs(case.wanted)
        total = (errors**2).sum()
        return (
            max(total, np.abs(case.x).max() * 2 * errors.sum() * 6 ** len(parameters[::2])) < EXACT
        )

    (share,) = shares(perceptrons(), largest)
    assert share == 1


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_convolutional_net_stays_exact(seed, channels):
    """Of magnitudes, scores and their derivatives by one weight of each layer bound all sums."""
    values, (x,) = lenet_values(seed, channels), ternary(seed, (1, channels, 32, 32))
    sizes = [np.abs(value) for value in values]
    assert layers.lenet(np.abs(x), *sizes).max() < EXACT
    for n, value in enumerate(values):
        along = [np.zeros(v.shape) for v in values]
        along[n].flat[value.size // 2] = 1
        rates = directional_derivative(lambda *p: layers.lenet(np.abs(x), *p), sizes, along)
        assert rates.sum() < EXACT


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_every_parameter_of_the_convolutional_net_counts(seed, channels):
    """The scores change with each of the ten parameters, even though most entries are 0."""
    values, (x,) = lenet_values(seed, channels), ternary(seed, (1, channels, 32, 32))
    for n, move in enumerate(lenet_values(seed + 1, channels, share=0.8)):
        along = [np.zeros(v.shape) for v in values]
        along[n] = move
        assert directional_derivative(lambda *p: layers.lenet(x, *p), values, along).any()
