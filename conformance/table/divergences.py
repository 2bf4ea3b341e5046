"""Entropies, divergences of two distributions, distribution functions and their inverses."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..truth.oracles.elementary import elementary, erf
from ..truth.oracles.special import digamma, erfc, erfinv, lgamma, ndtri
from .arguments import Arguments, Drawing, alike
from .densities import FITTING, fitting, logarithms
from .drawing import SMALL, SMALL_POSITIVE, Array, Draw
from .operation import Operation
from .parts import floats, magnitude, pick, softened
from .special import INNER

EULER = 0.5772156649015329
"""The constant of Euler, -digamma(1)."""

# ---- entropies -----------------------------------------------------------------------------------


def betaln(a: Array, b: Array) -> Array:
    """The logarithm of the beta function."""
    result: Array = lgamma(a) + lgamma(b) - lgamma(a + b)
    return result


def of_gamma(a: Array, rate: Array) -> Array:
    """The entropy of a sum of waiting times."""
    result: Array = a - np.log(rate) + lgamma(a) + (1 - a) * digamma(a)
    return result


def of_beta(a: Array, b: Array) -> Any:
    """The entropy of a share."""
    return betaln(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (a + b - 2) * digamma(a + b)


def of_dirichlet(a: Array) -> Array:
    """The entropy of several shares."""
    total, count = a.sum(-1), a.shape[-1]
    ends = lgamma(a).sum(-1) - lgamma(total)
    result: Array = ends - (count - total) * digamma(total) - ((a - 1) * digamma(a)).sum(-1)
    return result


def of_student(df: Array, scale: Array) -> Array:
    """The entropy of a normal number over the root of a mean of squares."""
    half, more = df / 2, (df + 1) / 2
    size = lgamma(half) + math.log(math.pi) / 2 - lgamma(more)
    result: Array = np.log(scale) + more * (digamma(more) - digamma(half)) + np.log(df) / 2 + size
    return result


def of_weibull(scale: Array, k: Array) -> Array:
    """The entropy of a power of a waiting time."""
    return EULER * (1 - 1 / k) + np.log(scale / k) + 1


def of_coin(logits: Array) -> Array:
    """The entropy of a coin."""
    p = 1 / (1 + np.exp(-logits))
    return p * softened(-logits) + (1 - p) * softened(logits)


def coin_again(logits: Array) -> Array:
    """The same as libraries write it."""
    return (1 - 1 / (1 + np.exp(-logits))) * logits + softened(-logits)


def of_choice(logits: Array) -> Array:
    """The entropy of one of several."""
    log = logarithms(logits)
    result: Array = -(np.exp(log) * log).sum(-1)
    return result


# ---- divergences ---------------------------------------------------------------------------------


def of_normals(m: Array, s: Array, n: Array, t: Array) -> Array:
    """The divergence of bell curves."""
    ratio = (s / t) ** 2
    return (ratio + ((m - n) / t) ** 2 - 1 - np.log(ratio)) / 2


def of_laplaces(m: Array, s: Array, n: Array, t: Array) -> Array:
    """The divergence of exponential densities back to back."""
    off = magnitude(m - n)
    return -np.log(s / t) + off / t + s / t * np.exp(-off / s) - 1


def of_gammas(a: Array, r: Array, b: Array, q: Array) -> Array:
    """The divergence of sums of waiting times."""
    ends = lgamma(b) - lgamma(a) + (a - b) * digamma(a)
    result: Array = b * np.log(r / q) + ends + (q - r) * (a / r)
    return result


def of_betas(a: Array, b: Array, c: Array, d: Array) -> Array:
    """The divergence of shares."""
    both = a + b
    result: Array = (
        lgamma(both) - lgamma(a) - lgamma(b) - lgamma(c + d) + lgamma(c) + lgamma(d)
        + (a - c) * digamma(a) + (b - d) * digamma(b) + (c + d - both) * digamma(both)
    )  # fmt: skip
    return result


def of_dirichlets(a: Array, b: Array) -> Array:
    """The divergence of several shares."""
    total = a.sum(-1, keepdims=True)
    off = ((a - b) * (digamma(a) - digamma(total))).sum(-1)
    result: Array = lgamma(a.sum(-1)) - lgamma(b.sum(-1)) - (lgamma(a) - lgamma(b)).sum(-1) + off
    return result


def of_coins(y: Array, z: Array) -> Any:
    """The divergence of coins."""
    p = 1 / (1 + np.exp(-y))
    return p * (softened(-z) - softened(-y)) + (1 - p) * (softened(z) - softened(y))


def of_choices(y: Array, z: Array) -> Array:
    """The divergence of choices among several."""
    a, b = logarithms(y), logarithms(z)
    result: Array = (np.exp(a) * (a - b)).sum(-1)
    return result


# ---- shares --------------------------------------------------------------------------------------


@elementary(lambda _x, y: y + 1, lambda _x, _y, d: d)
def less_one(x: Array) -> Array:
    """The power of e, less one, whose derivative libraries compute by that."""
    result: Array = np.expm1(x)
    return result


def below_exponential(x: Array, rate: Array) -> Any:
    """The share of waiting times."""
    return 1 - np.exp(-rate * x)


def exponential_again(x: Array, rate: Array) -> Any:
    """The same without a difference, of values that are scaled first."""
    return -less_one(-x / (1 / rate))


def below_normal(x: Array, m: Array, s: Array) -> Array:
    """The share of a bell curve."""
    result: Array = erfc((m - x) / s / math.sqrt(2)) / 2
    return result


def below_again(x: Array, m: Array, s: Array) -> Any:
    """The same, by the error function."""
    return (1 + erf((x - m) * (1 / s) / math.sqrt(2))) / 2


def normal_at(p: Array, m: Array, s: Array) -> Array:
    """Where the bell curve has a share."""
    result: Array = m + s * ndtri(p)
    return result


def normal_at_again(p: Array, m: Array, s: Array) -> Array:
    """The same, by the inverse of the error function."""
    result: Array = m + s * erfinv(2 * p - 1) * math.sqrt(2)
    return result


def below_laplace(x: Array, m: Array, s: Array) -> Array:
    """The share of exponential densities back to back."""
    y = (x - m) / s
    half = np.exp(-magnitude(y)) / 2
    return pick(floats(y) < 0, half, 1 - half)


def laplace_again(x: Array, m: Array, s: Array) -> Any:
    """The same, by the sign."""
    y = x - m
    return 0.5 - 0.5 * np.where(floats(y) < 0, -1.0, 1.0) * less_one(-magnitude(y) / s)


def below_cauchy(x: Array, m: Array, s: Array) -> Array:
    """The share of a ratio of normal numbers."""
    return np.arctan((x - m) / s) / math.pi + 0.5


def cauchy_at(p: Array, m: Array, s: Array) -> Array:
    """Where such a ratio has a share."""
    return np.tan(math.pi * (p - 0.5)) * s + m


def below_gumbel(x: Array, m: Array, s: Array) -> Array:
    """The share of the largest of many."""
    return np.exp(-np.exp((m - x) / s))


def gumbel_again(x: Array, m: Array, s: Array) -> Array:
    """The same, by the share above it."""
    return 0.5 + (below_gumbel(x, m, s) - 0.5)


def below_weibull(x: Array, s: Array, k: Array) -> Array:
    """The share of a power of a waiting time."""
    return 1 - np.exp(-np.power(x / s, k))


def weibull_at(p: Array, s: Array, k: Array) -> Array:
    """Where such a power has a share."""
    return np.power(-np.log1p(-p), 1 / k) * s


# ---- records -------------------------------------------------------------------------------------

LINES = ((3,), (2, 3), (2, 2), (1, 3), (0, 2), (2, 1, 3))
"""Shapes of parameters along whose last axis something is added up."""


def pairs(*shapes: Any, values: Array) -> Drawing:
    """Draw two rows of parameters that broadcast."""

    def draw(d: Draw) -> Arguments:
        return Arguments(tuple(d.array(s, values) for s in d.shapes(*shapes)))

    return draw


ROWS = pairs(((2,), (2,)), ((2, 3), (3,)), ((3, 2), (3, 2)), ((1, 2), (2, 1, 2)),
             values=SMALL_POSITIVE)  # fmt: skip
LOGITS = pairs(((2,), (2,)), ((2, 3), (3,)), ((3, 2), (3, 2)), ((1, 2), (2, 1, 2)), values=SMALL)

PLACED = fitting(SMALL, SMALL, SMALL_POSITIVE)
# Else the share is one that a narrow dtype loses, which its gradient is a multiple of.
PLACED_WIDELY = fitting(SMALL, SMALL, 2 * SMALL_POSITIVE)
THREE_WIDELY = fitting(SMALL_POSITIVE, 2 * SMALL_POSITIVE, SMALL_POSITIVE / 2)
INSIDE = fitting(INNER, SMALL, SMALL_POSITIVE)
TWO = fitting(SMALL_POSITIVE, SMALL_POSITIVE)


def scaled(d: Draw) -> Arguments:
    """Draw places and scales of two distributions."""
    shapes = d.shapes(*FITTING[4])
    kinds = (SMALL, SMALL_POSITIVE, SMALL, SMALL_POSITIVE)
    return Arguments(tuple(
        d.array(s, k, fixed=k is SMALL_POSITIVE) for s, k in zip(shapes, kinds, strict=True)
    ))  # fmt: skip


def rated(d: Draw) -> Arguments:
    """Draw four parameters that are positive."""
    return Arguments(tuple(d.array(s, SMALL_POSITIVE) for s in d.shapes(*FITTING[4])))


def record(
    name: str, forward: Callable[..., Any], draw: Drawing, *others: Any, **known: Any
) -> Operation:
    """Make the record of a function; `others` are formulas by which libraries compute it."""
    return Operation(name, forward, draw, formulas=others, **known)


DIVERGENCES = (
    record("gamma_entropy", of_gamma, TWO),
    record("beta_entropy", of_beta, TWO),
    record("dirichlet_entropy", of_dirichlet, alike(SMALL_POSITIVE, shapes=LINES)),
    record("student_t_entropy", of_student, TWO),
    record("weibull_entropy", of_weibull, TWO),
    record("bernoulli_logits_entropy", of_coin, alike(SMALL), coin_again),
    record("categorical_logits_entropy", of_choice, alike(SMALL, shapes=LINES)),
    record("normal_divergence", of_normals, scaled),
    record("laplace_divergence", of_laplaces, scaled, kinks="equal entries", ties=True),
    record("gamma_divergence", of_gammas, rated),
    record("beta_divergence", of_betas, rated),
    record("dirichlet_divergence", of_dirichlets, ROWS),
    record("bernoulli_logits_divergence", of_coins, alike(SMALL, SMALL)),
    record("bernoulli_logits_divergence_wide", of_coins, fitting(SMALL, SMALL)),
    record("categorical_logits_divergence", of_choices, LOGITS),
    record("normal_cdf", below_normal, PLACED, below_again),
    record("normal_icdf", normal_at, INSIDE, normal_at_again),
    record("laplace_cdf", below_laplace, PLACED, laplace_again, kinks="equal entries", ties=True),
    record("cauchy_cdf", below_cauchy, PLACED),
    record("cauchy_icdf", cauchy_at, INSIDE),
    record("gumbel_cdf", below_gumbel, PLACED_WIDELY, gumbel_again),
    record("exponential_cdf", below_exponential, TWO, exponential_again),
    record("weibull_cdf", below_weibull, THREE_WIDELY),
    record("weibull_icdf", weibull_at, fitting(INNER, SMALL_POSITIVE, SMALL_POSITIVE)),
)
"""Functions of parameters, and shares."""
