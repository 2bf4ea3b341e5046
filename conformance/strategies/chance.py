"""Random numbers: programs of draws, and how well numbers fit a distribution.

Fit is judged by the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant, which
holds for every distribution: n independent draws have an empirical distribution function that is
off by more than t somewhere with a probability of at most 2 exp(-2 n t ** 2). The band t is chosen
so that this is ALARM; a run that makes a thousand comparisons errs with 1e-9 at most.
"""

from collections.abc import Callable
from math import erf, log, sqrt

import numpy as np
from hypothesis import strategies as st

from ..subject import Subject
from .arrays import Array

ALARM = 1e-12
"""The probability with which right numbers are refused by one comparison."""

DRAWS = 20_000
"""How many numbers are compared: then the band is 0.027 wide on either side."""

Distribution = Callable[[Array], Array]


def misfit(values: Array, distribution: Distribution) -> float:
    """Return how far `values` are from `distribution`, over the distance that chance explains."""
    points, counts = np.unique(values, return_counts=True)
    reached = np.cumsum(counts) / values.size
    band = sqrt(log(2 / ALARM) / (2 * values.size))
    return float(np.max(np.abs(reached - distribution(points)))) / band


def uniform(low: float = 0.0, high: float = 1.0) -> Distribution:
    """All numbers from `low` to `high` alike."""
    return lambda x: np.clip((x - low) / (high - low), 0, 1)


def standard_normal(x: Array) -> Array:
    """The normal distribution with mean 0 and variance 1."""
    return np.array([(1 + erf(each / sqrt(2))) / 2 for each in x])


def integers_below(low: int, high: int) -> Distribution:
    """All integers from `low` to `high - 1` alike."""
    return lambda x: np.clip((np.floor(x) - low + 1) / (high - low), 0, 1)


def coin(probability: float) -> Distribution:
    """1 with `probability`, else 0."""
    return lambda x: np.where(x < 0, 0.0, np.where(x < 1, 1 - probability, 1.0))


DRAWN: dict[str, Callable[[Subject, int], object]] = {
    "rand": lambda be, n: be.rand((n,)),
    "randn": lambda be, n: be.randn((n,)),
    "randint": lambda be, n: be.randint(-5, 1000, (n,)),
    "randperm": lambda be, n: be.randperm(n),
    "rand_like": lambda be, n: be.rand_like(be.tensor(np.zeros(n))),
    "bernoulli": lambda be, n: be.bernoulli(be.tensor(np.full(n, 0.5))),
    "normal": lambda be, n: be.normal(be.tensor(np.ones(n)), 2.0),
    "uniform_": lambda be, n: be.uniform_(be.tensor(np.zeros(n)), -1.0, 2.0),
}

Draw = tuple[str, int]


def draws() -> st.SearchStrategy[list[Draw]]:
    """Draw a program of one to five draws, of odd and even sizes on both sides of 16."""
    draw = st.tuples(st.sampled_from(list(DRAWN)), st.sampled_from([1, 2, 3, 10, 15, 16, 17, 33]))
    return st.lists(draw, min_size=1, max_size=5)


def seeds() -> st.SearchStrategy[int]:
    """Draw a seed, the smallest and the largest among them."""
    return st.sampled_from([0, 1, 42, 2**31, 2**64 - 1, -1, -(2**63)]) | st.integers(0, 2**32)


def played(be: Subject, program: list[Draw]) -> list[Array]:
    """Run a program of draws, and return what it has drawn."""
    return [be.numpy(DRAWN[name](be, n)) for name, n in program]
