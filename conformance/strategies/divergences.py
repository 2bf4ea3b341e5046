"""Densities on a line, and how they diverge: sums over points that are dense where mass is."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..truth.oracles.special import lgamma
from ..truth.oracles.steps import directional_derivative
from ..truth.tolerance import Total
from .arrays import Array, arrays, table_of
from .distributions import ABOVE, REAL, around

LN_2PI = math.log(2 * math.pi)
Density = Callable[..., Any]

UNDER = table_of(0.25, 0.125, 0.5, 0.375)
OVER = table_of(0.75, 0.875, 0.625)
APART = table_of(0.25, 0.75, 0.125, 0.875, 0.375)
OUTER = table_of(1.5, 2.0, 1.25)
STEEP = table_of(3.0, 2.5, 4.0, 3.5)
WIDE = table_of(0.25, 0.5, 0.125)

# ---- where densities are added up ----------------------------------------------------------------

T = np.arange(-640, 641) / 128
ABOVE_ZERO = np.exp(np.pi / 2 * np.sinh(T))
"""Points above zero, dense at both ends (H. Takahasi and M. Mori, 1974)."""
LENGTHS = ABOVE_ZERO * np.pi / 2 * np.cosh(T) / 128
"""What each of them stands for."""
WITHIN = 1 / (1 + 1 / ABOVE_ZERO), 1 / (1 + ABOVE_ZERO)
"""Points between 0 and 1, and how far below 1 they are."""
SHARES = WITHIN[0] * WITHIN[1] * np.pi / 2 * np.cosh(T) / 128


def _line(at: Any, scale: Any) -> tuple[Any, Any, Any]:
    """Points of the whole line, on both sides of a place."""
    x = np.stack([at + scale * ABOVE_ZERO, at - scale * ABOVE_ZERO])
    return x, 1 - x, np.stack([scale * LENGTHS] * 2)


def _half(scale: Any) -> tuple[Any, Any, Any]:
    return ABOVE_ZERO * scale, 1 - ABOVE_ZERO * scale, LENGTHS * scale


def _between(low: Any, high: Any) -> tuple[Any, Any, Any]:
    x = low + (high - low) * WITHIN[0]
    return x, 1 - high + (high - low) * WITHIN[1], (high - low) * SHARES


def _far(scale: Any, alpha: Any) -> tuple[Any, Any, Any]:
    """Points above a scale, whose logarithms are dense."""
    # Beyond this no mass is left, and nothing is to overflow.
    near = ABOVE_ZERO < 500
    x = scale * np.exp(np.where(near, ABOVE_ZERO, 0) / alpha)
    return x, 1 - x, x / alpha * np.where(near, LENGTHS, 0)


PLACES: Mapping[str, Callable[..., tuple[Any, Any, Any]]] = {
    "Normal": _line,
    "Gumbel": _line,
    "Laplace": _line,
    "Cauchy": _line,
    "Exponential": lambda rate: _half(1 / rate),
    "Gamma": lambda _, rate: _half(1 / rate),
    "Beta": lambda *_: (*WITHIN, SHARES),
    "ContinuousBernoulli": lambda _: (*WITHIN, SHARES),
    "Uniform": _between,
    "Pareto": _far,
    "Bernoulli": lambda _: (np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.ones(2)),
}
"""Points on which each density lies, how far below 1 they are, and what each stands for."""


def _laplace(x: Any, _: Any, loc: Any, scale: Any) -> Any:
    return -np.where(np.real(x - loc) < 0, loc - x, x - loc) / scale - np.log(2 * scale)


def _gumbel(x: Any, _: Any, loc: Any, scale: Any) -> Any:
    y = (x - loc) / scale
    return -y - np.exp(-y) - np.log(scale)


def _gamma(x: Any, _: Any, a: Any, rate: Any) -> Any:
    return a * np.log(rate) + (a - 1) * np.log(x) - rate * x - lgamma(a)


def _beta(x: Any, y: Any, a: Any, b: Any) -> Any:
    return (a - 1) * np.log(x) + (b - 1) * np.log(y) + lgamma(a + b) - lgamma(a) - lgamma(b)


def _continuous(x: Any, y: Any, p: Any) -> Any:
    size = np.log((np.log(1 - p) - np.log(p)) / (1 - 2 * p))
    return x * np.log(p) + y * np.log(1 - p) + size


LOGARITHMS: Mapping[str, Density] = {
    "Normal": lambda x, _, m, s: -(((x - m) / s) ** 2) / 2 - np.log(s) - LN_2PI / 2,
    "Gumbel": _gumbel,
    "Laplace": _laplace,
    "Cauchy": lambda x, _, m, s: -np.log(np.pi * s) - np.log(1 + ((x - m) / s) ** 2),
    "Exponential": lambda x, _, rate: np.log(rate) - rate * x,
    "Gamma": _gamma,
    "Beta": _beta,
    "ContinuousBernoulli": _continuous,
    "Uniform": lambda x, _, low, high: 0 * x - np.log(high - low),
    "Pareto": lambda x, _, s, a: np.log(a) + a * np.log(s) - (a + 1) * np.log(x),
    "Bernoulli": lambda x, y, p: x * np.log(p) + y * np.log(1 - p),
    "Poisson": lambda x, _, rate: x * np.log(rate) - rate,
}
"""Logarithms of densities, of a point and how far below 1 it is; Poisson of 0 and 1 alone."""

NARROW = (UNDER, OVER)
PAIRS: Mapping[tuple[str, str], tuple[tuple[Array, ...], tuple[Array, ...]]] = {
    ("Beta", "Exponential"): ((ABOVE, ABOVE), (ABOVE,)),
    ("Beta", "Gamma"): ((ABOVE, ABOVE), (ABOVE, ABOVE)),
    ("Beta", "Normal"): ((ABOVE, ABOVE), (REAL, ABOVE)),
    ("Beta", "Uniform"): ((ABOVE, ABOVE), (-UNDER, OUTER)),
    ("Beta", "ContinuousBernoulli"): ((ABOVE, ABOVE), (APART,)),
    ("ContinuousBernoulli", "Exponential"): ((APART,), (ABOVE,)),
    ("ContinuousBernoulli", "Normal"): ((APART,), (REAL, ABOVE)),
    ("ContinuousBernoulli", "Uniform"): ((APART,), (-UNDER, OUTER)),
    ("Exponential", "Gamma"): ((ABOVE,), (ABOVE, ABOVE)),
    ("Exponential", "Gumbel"): ((ABOVE,), (REAL, ABOVE)),
    ("Exponential", "Normal"): ((ABOVE,), (REAL, ABOVE)),
    ("Gamma", "Exponential"): ((ABOVE, ABOVE), (ABOVE,)),
    ("Gamma", "Gumbel"): ((ABOVE, ABOVE), (REAL, ABOVE)),
    ("Gamma", "Normal"): ((ABOVE, ABOVE), (REAL, ABOVE)),
    ("Gumbel", "Normal"): ((REAL, ABOVE), (REAL, ABOVE)),
    ("Laplace", "Normal"): ((REAL, ABOVE), (REAL, ABOVE)),
    ("Normal", "Gumbel"): ((REAL, WIDE), (REAL, ABOVE)),
    ("Normal", "Laplace"): ((REAL, ABOVE), (REAL, ABOVE)),
    ("Cauchy", "Cauchy"): ((REAL, ABOVE), (REAL, ABOVE)),
    ("Pareto", "Exponential"): ((ABOVE, STEEP), (ABOVE,)),
    ("Pareto", "Gamma"): ((ABOVE, STEEP), (ABOVE, ABOVE)),
    ("Pareto", "Normal"): ((ABOVE, STEEP), (REAL, ABOVE)),
    ("Pareto", "Pareto"): ((ABOVE, STEEP), (UNDER, ABOVE)),
    ("Uniform", "Beta"): (NARROW, (ABOVE, ABOVE)),
    ("Uniform", "ContinuousBernoulli"): (NARROW, (APART,)),
    ("Uniform", "Exponential"): (NARROW, (ABOVE,)),
    ("Uniform", "Gamma"): (NARROW, (ABOVE, ABOVE)),
    ("Uniform", "Gumbel"): (NARROW, (REAL, ABOVE)),
    ("Uniform", "Normal"): (NARROW, (REAL, ABOVE)),
    ("Uniform", "Pareto"): (NARROW, (table_of(0.125, 0.0625), ABOVE)),
    ("Uniform", "Uniform"): (NARROW, (-UNDER, OUTER)),
    ("Bernoulli", "Poisson"): ((APART,), (ABOVE,)),
}
"""Pairs of kinds, of which the second has a density wherever the first has one, and parameters."""

EDGES: Mapping[tuple[str, str], tuple[tuple[Array, ...], tuple[Array, ...]]] = {
    ("ContinuousBernoulli", "Uniform"): ((APART,), (table_of(0.0), table_of(1.0))),
    ("Uniform", "ContinuousBernoulli"): ((table_of(0.0), OVER), (APART,)),
    ("Beta", "Uniform"): ((ABOVE, ABOVE), (table_of(0.0), table_of(1.0))),
    ("Uniform", "Beta"): ((table_of(0.0), table_of(1.0)), (ABOVE, ABOVE)),
}
"""Pairs of kinds that end in the same place."""

ACROSS = (-UNDER, OVER)
BEYOND: Mapping[tuple[str, str], tuple[tuple[Array, ...], tuple[Array, ...]]] = {
    **{
        (wide, narrow): (rows, others)
        for wide, rows in {
            "Exponential": (ABOVE,),
            "Gamma": (ABOVE, ABOVE),
            "Gumbel": (REAL, ABOVE),
            "Laplace": (REAL, ABOVE),
            "Normal": (REAL, ABOVE),
            "Pareto": (ABOVE, ABOVE),
            "Uniform": (-UNDER, OUTER),
        }.items()
        for narrow, others in {
            "Beta": (ABOVE, ABOVE),
            "ContinuousBernoulli": (APART,),
            "Uniform": (UNDER, OVER),
        }.items()
    },
    **{
        (wide, narrow): (rows, others)
        for wide, rows in {
            "Gumbel": (REAL, ABOVE),
            "Laplace": (REAL, ABOVE),
            "Normal": (REAL, ABOVE),
            "Uniform": (-UNDER, OUTER),
        }.items()
        for narrow, others in {"Exponential": (ABOVE,), "Gamma": (ABOVE, ABOVE)}.items()
    },
    **{
        (wide, "Pareto"): (rows, (OUTER, ABOVE))
        for wide, rows in {
            "Beta": (ABOVE, ABOVE),
            "ContinuousBernoulli": (APART,),
            "Exponential": (ABOVE,),
            "Gamma": (ABOVE, ABOVE),
            "Normal": (REAL, ABOVE),
            "Pareto": (UNDER, ABOVE),
            "Uniform": (-UNDER, OUTER),
        }.items()
    },
    ("Beta", "Uniform"): ((ABOVE, ABOVE), (UNDER, OVER)),
    ("ContinuousBernoulli", "Uniform"): ((APART,), (UNDER, OVER)),
    ("Poisson", "Bernoulli"): ((ABOVE,), (APART,)),
    # Of a density that ends so slowly, the mean is infinite.
    ("Pareto", "Exponential"): ((ABOVE, UNDER), (ABOVE,)),
    ("Pareto", "Gamma"): ((ABOVE, UNDER), (ABOVE, ABOVE)),
    ("Pareto", "Normal"): ((ABOVE, OUTER), (REAL, ABOVE)),
}
"""Pairs of kinds of which the first has a density where the second has none, or next to none."""

CHANCES = table_of(0.0, 1.0, 0.5, 0.25)


def _part(p: Array, q: Array) -> Array:
    """What something of one chance adds to a divergence, where it has another one."""
    with np.errstate(all="ignore"):
        return np.where(p > 0, p * np.log(p / q), 0.0)


def of_choices(p: Array, q: Array) -> Array:
    """The divergence of choices of two."""
    return _part(p, q) + _part(1 - p, 1 - q)


CERTAIN: Mapping[str, Callable[[Array], Array]] = {
    "Bernoulli": lambda p: p,
    **dict.fromkeys(("Categorical", "OneHotCategorical"), lambda p: np.stack([p, 1 - p], -1)),
}
"""Choices of two with chances of 0 or 1: how the chances of all are made of that of one."""

COUNTS: Mapping[str, tuple[str, dict[str, float], Callable[[Array], Array], Density]] = {
    "Binomial": ("probs", {"total_count": 3.0}, lambda p: p, lambda p, q: 3 * of_choices(p, q)),
    "Geometric": ("probs", {}, lambda p: 1 - p / 2,
                  lambda p, q: of_choices(p / 2, q / 2) / (1 - p / 2)),
    "Poisson": ("rate", {}, lambda p: 4 * p, lambda p, q: 4 * (_part(p, q) - p + q)),
}  # fmt: skip
"""Counts that may be certain: how they are made of chances, and how they diverge."""


def diverging(p: str, q: str, first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, Any]:
    """Return the divergence of one density from another, and how large its terms are.

    Parameters are numbers, some of them beside the real ones.
    """
    if q == "Laplace":
        # What is bent in the middle is added up on both sides.
        x, rest, lengths = _line(second[0], first[1])
    else:
        x, rest, lengths = PLACES[p](*first)
    with np.errstate(all="ignore"):
        log_p, log_q = LOGARITHMS[p](x, rest, *first), LOGARITHMS[q](x, rest, *second)
        mass = lengths * np.exp(log_p)
        none = ~(np.abs(mass) >= 1e-200)
        terms = np.where(none, 0, mass * (log_p - log_q))
        sizes = np.where(none, 0, np.abs(mass) * (np.abs(log_p) + np.abs(log_q)))
    return terms.sum(), sizes.sum()


def divergences(
    p: str, q: str, first: Sequence[Array], second: Sequence[Array]
) -> tuple[Total, list[Total]]:
    """Return divergences, one of each column of parameters, and their gradients by all of them."""
    given, sides = [*first, *second], len(first)
    columns = [np.array(column) for column in zip(*given, strict=True)]

    def at(column: Array) -> tuple[Any, Any]:
        return diverging(p, q, [*column[:sides]], [*column[sides:]])

    values, sizes = (np.array(v) for v in zip(*map(at, columns), strict=True))
    sizes = np.abs(sizes)
    found = replace(around(values, 4 * sizes), error_bound=1e-12 * (1 + sizes))
    gradients = []
    for n, values_n in enumerate(given):
        along = np.eye(len(given))[n]
        derivatives = np.array(
            [directional_derivative(lambda c: at(c)[0], [column], [along]) for column in columns]
        )
        size = (np.abs(derivatives) + sizes) * (1 + 1 / np.maximum(np.abs(values_n), 0.25))
        gradients.append(replace(around(derivatives, 16 * size), error_bound=1e-12 * (1 + size)))
    return found, gradients


def pairs(
    choices: Mapping[tuple[str, str], tuple[tuple[Array, ...], tuple[Array, ...]]],
) -> list[st.SearchStrategy[tuple[str, str, list[Array], list[Array]]]]:
    """For each pair of kinds, draw rows of parameters of both."""

    def of(pair: tuple[str, str]) -> st.SearchStrategy[Any]:
        sides = [
            st.tuples(*(arrays(values=table, shape=(2,)) for table in tables)).map(list)
            for tables in choices[pair]
        ]
        return st.tuples(st.just(pair[0]), st.just(pair[1]), *sides)

    return [of(pair) for pair in sorted(choices)]


COUNTED = {"Beta": 2, "Gamma": 1}
"""How many parameters of a density are concentrations, and come first."""
CONCENTRATED = {pair: rows for pair, rows in PAIRS.items() if pair[0] in COUNTED}
