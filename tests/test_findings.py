"""What figures with intervals say of a bound."""

from math import inf

import numpy as np
import pytest

from gradspec.conformance.speed.findings import (
    FEWEST,
    Answer,
    Curve,
    Interval,
    Unmeasured,
    break_even,
    median_interval,
)


def near(value, spread=0.1):
    """An interval of ten percent about a value."""
    return Interval(value, value * (1 - spread), value * (1 + spread))


def curve(*values, spread=0.0):
    """A curve over the sizes 1, 10, 100, ..."""
    return Curve({10**i: near(value, spread) for i, value in enumerate(values)}, "figures")


@pytest.mark.parametrize(
    ("value", "bound", "more", "less"),
    [
        (2.0, 1, Answer.SUPPORTED, Answer.REFUTED),
        (1.05, 1, Answer.INCONCLUSIVE, Answer.INCONCLUSIVE),
        (0.5, 1, Answer.REFUTED, Answer.SUPPORTED),
    ],
)
def test_an_interval_beside_its_bound_decides(value, bound, more, less):
    assert (near(value) > bound).answer is more
    assert (near(value) < bound).answer is less


def test_findings_joined_are_as_good_as_the_worst():
    good, open_, bad = near(2) > 1, near(1) > 1, near(0.5) > 1
    assert (good & good).answer is Answer.SUPPORTED
    assert (good & open_).answer is Answer.INCONCLUSIVE
    assert (good & open_ & bad).answer is Answer.REFUTED


def test_a_finding_is_no_truth_value():
    with pytest.raises(TypeError, match="join by &"):
        bool((near(2) > 1) and (near(2) > 1))


def test_a_ratio_takes_the_ends_that_are_furthest_apart():
    ratio = Interval(4, 3, 6) / Interval(2, 1, 3)
    assert (ratio.value, ratio.low, ratio.high) == (2, 1, 6)
    assert (Interval(1, 1, 1) / Interval.exact(0)).value == inf


@pytest.mark.parametrize(("rounds", "k"), [(7, 1), (9, 1), (10, 2), (20, 5), (100, 39)], ids=str)
def test_the_interval_of_a_median_is_the_narrowest_that_is_sure_enough(rounds, k):
    """From tables of the binomial distribution: 1 - 2 P(B < k) >= 0.975 for the k-th of n."""
    found = median_interval(range(1, rounds + 1))
    assert (found.low, found.high) == (k, rounds + 1 - k)


def test_too_few_rounds_are_refused():
    with pytest.raises(ValueError, match="7 are the fewest"):
        median_interval([1.0] * (FEWEST - 1))


def test_intervals_hold_the_median_as_often_as_they_say():
    """For a skewed distribution whose median is log 2; 0.975 of 4000, less five deviations."""
    rng = np.random.default_rng(0)
    for rounds in (7, 15, 40):
        held = 0
        for _ in range(4000):
            found = median_interval(rng.exponential(size=rounds).tolist())
            held += found.low <= np.log(2) <= found.high
        assert held >= 4000 * 0.975 - 5 * (4000 * 0.975 * 0.025) ** 0.5


@pytest.mark.parametrize(
    ("gains", "size"),
    [
        ((0.1, 10), 10**0.5),
        ((0.5, 0.5, 8), 10**1.25),
        ((2, 0.1, 10), 10**1.5),
        ((2, 3), 0),
        ((0.1, 0.9), inf),
        ((10, 0.1), inf),
    ],
)
def test_break_even_is_where_the_gain_passes_one_for_good(gains, size):
    found = break_even(curve(*gains))
    assert found.value == pytest.approx(size)
    assert (found.low, found.high) == (found.value, found.value)


def test_noise_widens_the_break_even():
    found = break_even(curve(0.1, 10, spread=0.5))
    assert found.low < found.value < found.high


def test_a_gain_that_may_be_none_has_no_upper_end():
    found = break_even(curve(0.1, 1.2, spread=0.5))
    assert found.high == inf
    assert found.low < found.value < 10


@pytest.mark.parametrize(
    ("values", "trend"), [((1, 2, 3, 4), 1), ((4, 3, 2, 1), -1), ((1, 3, 2, 4), 2 / 3)]
)
def test_the_trend_is_the_rank_correlation(values, trend):
    found = curve(*values).trend
    assert (found.value, found.low, found.high) == pytest.approx((trend, trend, trend))


def test_points_that_noise_cannot_tell_apart_have_no_order():
    found = curve(1, 1.01, 1.02, spread=0.1).trend
    assert (found.low, found.value, found.high) == (-1, 1, 1)
    assert (found > 0.5).answer is Answer.INCONCLUSIVE


def test_a_curve_is_compared_at_each_of_its_sizes():
    assert (curve(2, 3) > 1).answer is Answer.SUPPORTED
    assert (curve(2, 0.5) > 1).answer is Answer.REFUTED
    assert (curve(2, 0.5).upto(1) > 1).answer is Answer.SUPPORTED
    assert (curve(2, 0.5).since(10) > 1).answer is Answer.REFUTED


def test_what_is_not_there_is_unmeasured():
    for missing in (lambda c: c[7], lambda c: c.since(99), lambda c: c.trend):
        with pytest.raises(Unmeasured, match="figures"):
            missing(curve(1, 2))
