"""The band for random numbers lets right ones pass and refuses what is off by a little."""

import numpy as np
import pytest

from gradspec.conformance.strategies.chance import (
    ALARM,
    DRAWS,
    coin,
    integers_below,
    misfit,
    standard_normal,
    uniform,
)

RIGHT = [
    (lambda rng: rng.random(DRAWS), uniform()),
    (lambda rng: rng.uniform(-2, 1, DRAWS), uniform(-2, 1)),
    (lambda rng: rng.standard_normal(DRAWS), standard_normal),
    (lambda rng: rng.integers(-3, 4, DRAWS), integers_below(-3, 4)),
    (lambda rng: rng.random(DRAWS) < 0.3, coin(0.3)),
]


@pytest.mark.parametrize(("draw", "distribution"), RIGHT)
def test_right_numbers_pass(draw, distribution):
    assert all(misfit(draw(np.random.default_rng(seed)) * 1.0, distribution) < 1 for seed in (0, 1))


@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        (lambda rng: rng.random(DRAWS) * 0.95, uniform()),
        (lambda rng: rng.random(DRAWS) * 2 - 1, uniform()),
        (lambda rng: rng.standard_normal(DRAWS) * 1.15, standard_normal),
        (lambda rng: rng.standard_normal(DRAWS) + 0.1, standard_normal),
        (lambda rng: rng.random(DRAWS) * 2 - 1, standard_normal),
        (lambda rng: rng.integers(-3, 5, DRAWS), integers_below(-3, 4)),
        (lambda rng: rng.random(DRAWS) < 0.34, coin(0.3)),
    ],
)
def test_wrong_numbers_are_refused(draw, distribution):
    assert all(misfit(draw(np.random.default_rng(seed)) * 1.0, distribution) > 1 for seed in (0, 1))


def test_the_band_is_that_of_the_inequality():
    # Numbers that are all zero are off by one: that is 1 / t bands, and 2 exp(-2 n t**2) is ALARM.
    band = 1 / misfit(np.zeros(DRAWS), uniform(0, 1)) * 1.0
    assert 2 * np.exp(-2 * DRAWS * band**2) == pytest.approx(ALARM)
