"""Random numbers: programs of draws, and how well numbers fit a distribution.

Fit is judged by the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant, which
holds for every distribution: n independent draws have an empirical distribution function that is
off by more than t somewhere with a probability of at most 2 exp(-2 n t ** 2). The band t is chosen
so that this is ALARM. The first four moments, and correlations of numbers and of their squares,
are means of independent terms: SIGMAS of their standard deviations are allowed, which at the number
of draws looked at is as narrow as five at half as many. A run that makes a thousand comparisons
errs with 1e-8 at most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import erf, log, sqrt
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject
from .arrays import Array

ALARM = 1e-12
"""The probability with which right numbers are refused by one comparison of distributions."""

SIGMAS = 7.0
"""How many standard deviations a mean may be off: with a probability of 3e-12 it is."""

DRAWS = 20_000
"""How many numbers are compared: then the band is 0.027 wide on either side."""

LINES = (100, DRAWS // 100)
"""The same number in two axes."""

DRAWS_IN_PLACE: Mapping[str, tuple[float, ...]] = {
    "uniform_": (),
    "normal_": (),
    "exponential_": (),
    "cauchy_": (),
    "log_normal_": (),
    "geometric_": (0.5,),
    "bernoulli_": (0.5,),
    "random_": (),
}
"""Methods that write random numbers over a tensor, and what they are told."""


@dataclass(frozen=True)
class Distribution:
    """A distribution: the probability of numbers up to each x, and central moments.

    `moments` are those of order 1 to 8, of numbers less their mean over their deviation.
    """

    below: Callable[[Array], Array]
    mean: float
    deviation: float
    moments: tuple[float, ...]

    def standard(self, values: Array) -> Array:
        """Return `values` less the mean over the deviation."""
        standard: Array = (values - self.mean) / (self.deviation or 1.0)
        return standard


def ks_ratio(values: Array, distribution: Distribution) -> float:
    """Return how far `values` are from `distribution`, over the distance that chance explains."""
    # In float64, because numpy 2.4 does not sort numbers of float16 on every machine.
    points, counts = np.unique(values.astype(np.float64), return_counts=True)
    reached = np.cumsum(counts) / values.size
    band = sqrt(log(2 / ALARM) / (2 * values.size))
    return float(np.max(np.abs(reached - distribution.below(points)))) / band


def check_draws(draws: Sequence[Array], distribution: Distribution) -> None:
    """Compare numbers with `distribution`, and with each other. Raises AssertionError.

    Each of `draws` is what one call drew. Numbers depend neither on those before them along any
    axis, nor on those in the same place of the call before.
    """
    __tracebackhide__ = True
    numbers = [np.asarray(drawn, np.float64) for drawn in draws]
    together = np.concatenate([drawn.ravel() for drawn in numbers])
    assert np.isfinite(together).all(), "a number drawn is not finite"
    off = ks_ratio(together, distribution)
    assert off <= 1, f"the distribution is off by {off:.3g} times what chance explains"
    check_moments(together, distribution)
    if distribution.deviation:
        for what, ratio in _patterns([*map(distribution.standard, numbers)], distribution):
            assert ratio <= 1, f"{what} are correlated, {ratio:.3g} times what chance explains"


def check_moments(values: Array, distribution: Distribution) -> None:
    """Compare the first four moments with those of `distribution`. Raises AssertionError."""
    __tracebackhide__ = True
    power = standard = distribution.standard(values.astype(np.float64))
    for order in (1, 2, 3, 4):
        want, double = distribution.moments[order - 1], distribution.moments[2 * order - 1]
        spread = sqrt(max(double - want**2, 0.0) / standard.size)
        # A moment without spread, as the square of a fair coin, is exact but for rounding.
        off = abs(float(np.mean(power)) - want) / max(SIGMAS * spread, 1e-6)
        assert off <= 1, f"moment {order} is off by {off:.3g} times what chance explains"
        power = power * standard


def _patterns(numbers: list[Array], distribution: Distribution) -> Iterator[tuple[str, float]]:
    kurtosis = distribution.moments[3]
    forms = [("numbers", numbers)]
    if kurtosis > 1 + 1e-9:
        squares = [(each**2 - 1) / sqrt(kurtosis - 1) for each in numbers]
        forms.append(("squares", squares))
    for word, calls in forms:
        for one, other in pairwise(calls):
            yield f"{word} of two calls", _correlation(one, other)
        for each in calls:
            for axis, size in enumerate(each.shape):
                for lag in (1, 2, size // 2):
                    along = np.moveaxis(each, axis, 0)
                    yield f"{word} {lag} apart", _correlation(along[lag:], along[:-lag])


def _correlation(x: Array, y: Array) -> float:
    """Return the mean of products of independent standard numbers, over what chance explains."""
    return abs(float(np.mean(x * y))) * sqrt(x.size) / SIGMAS


# ---- distributions -------------------------------------------------------------------------------

NORMAL = (0.0, 1.0, 0.0, 3.0, 0.0, 15.0, 0.0, 105.0)
UNIFORM = (0.0, 1.0, 0.0, 9 / 5, 0.0, 27 / 7, 0.0, 9.0)
"""Moments of order 1 to 8 of standard numbers."""


def uniform(low: float = 0.0, high: float = 1.0) -> Distribution:
    """All numbers from `low` to `high` alike."""
    return Distribution(
        lambda x: np.clip((x - low) / (high - low), 0, 1),
        (low + high) / 2,
        (high - low) / sqrt(12),
        UNIFORM,
    )


GRID = np.linspace(-9, 9, 18_001)
BELOW_GRID = np.array([(1 + erf(x / sqrt(2))) / 2 for x in GRID])
"""The normal distribution function on a grid so fine that straight lines are off by 1e-7."""


def normal(mean: float = 0.0, deviation: float = 1.0) -> Distribution:
    """The normal distribution with this mean and standard deviation."""
    return Distribution(
        lambda x: np.interp((x - mean) / deviation, GRID, BELOW_GRID), mean, deviation, NORMAL
    )


def discrete(values: Sequence[float], chances: Sequence[float] | None = None) -> Distribution:
    """Each of some rising `values` with its probability: all alike if none are given."""
    at = np.asarray(values, np.float64)
    weights = np.full(at.size, 1 / at.size) if chances is None else np.asarray(chances, np.float64)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    mean = float(at @ weights)
    deviation = sqrt(float((at - mean) ** 2 @ weights))
    standard = (at - mean) / (deviation or 1.0)
    return Distribution(
        lambda x: sums[np.searchsorted(at, x, "right")],
        mean,
        deviation,
        tuple(float(standard**order @ weights) for order in range(1, 9)),
    )


def integers_below(low: int, high: int) -> Distribution:
    """All integers from `low` to `high - 1` alike."""
    return discrete(range(low, high))


def coin(probability: float) -> Distribution:
    """1 with `probability`, else 0."""
    return discrete((0.0, 1.0), (1 - probability, probability))


# ---- programs of draws ---------------------------------------------------------------------------

DRAWN: dict[str, Callable[[Subject, int], object]] = {
    "rand": lambda be, n: be.rand((n,)),
    "randn": lambda be, n: be.randn((n,)),
    "randint": lambda be, n: be.randint(-5, 1000, (n,)),
    "randperm": lambda be, n: be.randperm(n),
    "rand_like": lambda be, n: be.rand_like(be.tensor(np.zeros(n))),
    "bernoulli": lambda be, n: be.bernoulli(be.tensor(np.full(n, 0.5))),
    "normal": lambda be, n: be.normal(be.tensor(np.ones(n)), 2.0),
    "uniform_": lambda be, n: be.uniform_(be.tensor(np.zeros(n)), -1.0, 2.0),
    "normal_": lambda be, n: be.normal_(be.tensor(np.zeros(n)), -1.0, 2.0),
    "exponential_": lambda be, n: be.exponential_(be.tensor(np.zeros(n)), 2.0),
    "multinomial": lambda be, n: be.multinomial(be.tensor(np.ones(n)), n),
}

Draw = tuple[str, int]


def draws() -> st.SearchStrategy[list[Draw]]:
    """Draw a program of one to five draws, of odd and even sizes on both sides of 16."""
    draw = st.tuples(st.sampled_from(list(DRAWN)), st.sampled_from([1, 2, 3, 10, 15, 16, 17, 33]))
    return st.lists(draw, min_size=1, max_size=5)


@cache
def seeds() -> st.SearchStrategy[int]:
    """Draw a seed, the smallest and the largest among them."""
    return st.sampled_from([0, 1, 42, 2**31, 2**64 - 1, -1, -(2**63)]) | st.integers(0, 2**32)


def played(be: Subject, program: list[Draw]) -> list[Array]:
    """Run a program of draws, and return what it has drawn."""
    return [be.numpy(DRAWN[name](be, n)) for name, n in program]


@contextmanager
def recorded(be: Subject, place: str, name: str) -> Iterator[list[Any]]:
    """Let the function `name` at a place of PyTorch do nothing, in a block, but note its argument.

    It stands for a device that is not there: what it is told is all there is to see.
    """
    told: list[Any] = []
    with mock.patch.object(be.lookup(place), name, told.append):
        yield told
