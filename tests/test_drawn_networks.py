"""Networks and the derivatives of programs: interesting points are drawn, and oracles agree."""

import numpy as np
import pytest
from test_drawn_calls import shares

from gradspec.conformance.strategies.networks import INPUTS, networks
from gradspec.conformance.table.derivatives import NUMPY, PROGRAMS, derivatives, smooth_points
from gradspec.conformance.truth.oracles.steps import gradients

REACHED = {
    "a computed value used twice": lambda n: any(
        [place for _, *used in n.steps for place in used].count(computed) > 1
        for computed in range(INPUTS, INPUTS + len(n.steps))
    ),
    "an input without effect": lambda n: bool(set(range(INPUTS)) - n.used),
    "a leaf that is not reached": lambda n: sum(n.tracked) > len(n.reached),
    "a constant that takes part": lambda n: any(
        not n.tracked[place] for place in range(INPUTS) if place in n.used
    ),
    "several leaves": lambda n: len(n.reached) > 1,
    "a derivative that is not zero": lambda n: any(
        np.any(n.derivative(place)) for place in n.reached
    ),
}


@pytest.mark.parametrize("point", REACHED)
def test_networks_reach(point):
    (share,) = shares(networks(), REACHED[point])
    assert share > 0.15


def test_a_result_depends_on_a_leaf_and_stays_small():
    """Slopes are whole numbers, and exact in float32 also when weighted."""
    reached, whole, small = shares(
        networks(),
        lambda n: bool(n.reached),
        lambda n: all(np.all(n.derivative(p) == np.round(n.derivative(p))) for p in n.reached),
        lambda n: all(np.abs(n.derivative(p)).max() < 2**20 for p in n.reached),
    )
    assert reached == whole == small == 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_are_complex_steps(name):
    for x in smooth_points(name):
        jacobian = derivatives(name, x)
        (steps,) = gradients(lambda z: PROGRAMS[name](NUMPY, z), x)
        expected = np.moveaxis(steps, (0, 1), (-2, -1))
        np.testing.assert_allclose(jacobian.value, expected, atol=1e-14, rtol=1e-14)
