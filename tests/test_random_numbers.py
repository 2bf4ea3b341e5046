"""The band for random numbers lets right ones pass and refuses what is off by a little."""

import numpy as np
import pytest

from gradspec.conformance.strategies.random_numbers import (
    ALARM,
    DRAWS,
    LINES,
    check_draws,
    check_moments,
    coin,
    discrete,
    integers_below,
    ks_ratio,
    normal,
    uniform,
)

RIGHT = [
    (lambda rng: rng.random(DRAWS), uniform()),
    (lambda rng: rng.uniform(-2, 1, DRAWS), uniform(-2, 1)),
    (lambda rng: rng.standard_normal(DRAWS), normal()),
    (lambda rng: rng.integers(-3, 4, DRAWS), integers_below(-3, 4)),
    (lambda rng: rng.random(DRAWS) < 0.3, coin(0.3)),
]


@pytest.mark.parametrize(("draw", "distribution"), RIGHT)
def test_right_numbers_pass(draw, distribution):
    assert all(
        ks_ratio(draw(np.random.default_rng(seed)) * 1.0, distribution) < 1 for seed in (0, 1)
    )


@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        (lambda rng: rng.random(DRAWS) * 0.95, uniform()),
        (lambda rng: rng.random(DRAWS) * 2 - 1, uniform()),
        (lambda rng: rng.standard_normal(DRAWS) * 1.15, normal()),
        (lambda rng: rng.standard_normal(DRAWS) + 0.1, normal()),
        (lambda rng: rng.random(DRAWS) * 2 - 1, normal()),
        (lambda rng: rng.integers(-3, 5, DRAWS), integers_below(-3, 4)),
        (lambda rng: rng.random(DRAWS) < 0.34, coin(0.3)),
    ],
)
def test_wrong_numbers_are_refused(draw, distribution):
    assert all(
        ks_ratio(draw(np.random.default_rng(seed)) * 1.0, distribution) > 1 for seed in (0, 1)
    )


def test_the_band_is_that_of_the_inequality():
    # Numbers that are all zero are off by one: that is 1 / t bands, and 2 exp(-2 n t**2) is ALARM.
    band = 1 / ks_ratio(np.zeros(DRAWS), uniform(0, 1)) * 1.0
    assert 2 * np.exp(-2 * DRAWS * band**2) == pytest.approx(ALARM)


# ---- moments and patterns ------------------------------------------------------------------------


def calls(draw, seed):
    """Return what two calls of `draw` give, in lines."""
    rng = np.random.default_rng(seed)
    return [draw(rng).astype(float).reshape(LINES) for _ in range(2)]


@pytest.mark.parametrize(
    ("draw", "distribution"),
    [
        *RIGHT,
        (lambda rng: rng.normal(3, 0.5, DRAWS), normal(3, 0.5)),
        (
            lambda rng: rng.choice([0, 2, 3], DRAWS, p=[0.5, 0, 0.5]),
            discrete((0, 2, 3), (0.5, 0, 0.5)),
        ),
        (lambda _: np.ones(DRAWS), coin(1.0)),
    ],
)
def test_right_draws_pass(draw, distribution):
    for seed in range(20):
        check_draws(calls(draw, seed), distribution)


@pytest.mark.parametrize(
    ("draw", "distribution", "complaint"),
    [
        (lambda rng: 0.0199 + 0.98 * rng.random(DRAWS), uniform(), "is off by"),
        (lambda rng: 1.05 * rng.standard_normal(DRAWS), normal(), "moment 2"),
        (lambda rng: rng.standard_normal(DRAWS) + 0.05, normal(), "is off by"),
        (lambda rng: np.repeat(rng.random(DRAWS // 2), 2), uniform(), "numbers 1 apart"),
        (lambda rng: np.tile(rng.random(DRAWS // 2), 2), uniform(), "numbers 50 apart"),
        (lambda rng: np.repeat(rng.random(100), 200), uniform(), None),
        (lambda rng: np.tile(rng.random(200), 100), uniform(), None),
        (lambda _: np.random.default_rng(7).random(DRAWS), uniform(), "numbers of two calls"),
        (
            lambda rng: np.repeat(rng.standard_normal(DRAWS // 2), 2) * rng.choice((-1, 1), DRAWS),
            normal(),
            "squares 1 apart",
        ),
        (lambda rng: np.full(DRAWS, np.nan) + rng.random(), uniform(), "not finite"),
    ],
)
def test_wrong_draws_are_refused(draw, distribution, complaint):
    for seed in range(5):
        with pytest.raises(AssertionError, match=complaint):
            check_draws(calls(draw, seed), distribution)


def test_a_sum_of_twelve_is_told_from_normal_numbers_by_its_fourth_moment():
    rng = np.random.default_rng(0)
    check_moments(rng.standard_normal(1_000_000), normal())
    with pytest.raises(AssertionError, match="moment 4"):
        check_moments(rng.random((12, 1_000_000)).sum(0) - 6, normal())


@pytest.mark.parametrize(
    "distribution", [uniform(-1, 3), normal(), coin(0.3), integers_below(-3, 4)]
)
def test_moments_are_those_of_the_distribution(distribution):
    # By the distribution function: the mean of f is the sum of f over many equal shares.
    points = np.linspace(-9, 9, 400_001)
    shares = np.diff(distribution.below(points), prepend=0.0)
    standard = distribution.standard(points)
    for order, moment in enumerate(distribution.moments, 1):
        assert standard**order @ shares == pytest.approx(moment, rel=1e-2, abs=1e-2)
