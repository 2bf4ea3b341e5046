"""Points on which integrals are added up, and what each of them stands for.

A sum over points that are dense where the mass is finds an integral of what is smooth to all digits
but a few: on lines of which the ends are far away by double exponentials (H. Takahasi and M. Mori,
Double Exponential Formulas for Numerical Integration, 1974), on a period or of what falls like
Normal by points of equal distance (L. N. Trefethen and J. A. C. Weideman, The Exponentially
Convergent Trapezoidal Rule, 2014). They lie by the parameters of a distribution, of which those
that come last may say nothing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

Points = Callable[..., tuple[Array, Array]]
"""Of the parameters of one distribution: points, and what each of them stands for."""


def added(lengths: Array, log_p: Array, values: Array) -> tuple[Array, Array]:
    """Return the integral of values by a density, and how far it may be off.

    What the sums leave, with these points and parameters, is below one part in 10^10.
    """
    with np.errstate(all="ignore"):
        mass = lengths * np.exp(log_p)
        mass = mass.reshape(*mass.shape, *(1,) * (values.ndim - mass.ndim))
        terms = np.where(mass > 1e-100, mass * values, 0)
    return terms.sum(0), 1e-9 * (1 + np.abs(terms).sum(0))


# ---- points on lines -----------------------------------------------------------------------------


def _dense(points: int, end: float = 5.0) -> tuple[Array, Array]:
    """Points above zero, dense at both ends, and what each of them stands for."""
    t = np.linspace(-end, end, points)
    x = np.exp(np.pi / 2 * np.sinh(t))
    return x, x * np.pi / 2 * np.cosh(t) * (t[1] - t[0])


def _share(points: int, end: float = 5.0) -> tuple[Array, Array, Array]:
    """Points between 0 and 1, how far below 1 they are, and what each of them stands for."""
    x, lengths = _dense(points, end)
    return x / (1 + x), 1 / (1 + x), lengths / (1 + x) ** 2


def line(at: float, scale: float = 1.0, *_: float) -> tuple[Array, Array]:
    """A line, dense around a place."""
    x, lengths = _dense(401)
    ends = np.concatenate([at - scale * x[::-1], at + scale * x])
    return ends, scale * np.concatenate([lengths[::-1], lengths])


def bent_line(at: float, _: float, other: float | None = None, *__: float) -> tuple[Array, Array]:
    """A line that is bent in one or two places, and is added up on both sides of each."""
    low, high = sorted((at, at if other is None else other))
    x, lengths = _dense(401)
    inner, parts = between(low, high)
    return np.concatenate([low - x[::-1], inner, high + x]), np.concatenate(
        [lengths[::-1], parts, lengths]
    )


def placed(_: float, at: float, scale: float, *__: float) -> tuple[Array, Array]:
    """A line, of which place and scale are the second and the third parameter."""
    return line(at, scale)


def half(*_: float) -> tuple[Array, Array]:
    """Numbers above zero."""
    return _dense(401)


def far(scale: float, alpha: float, *_: float) -> tuple[Array, Array]:
    """Points above a scale, whose logarithms are dense."""
    x, lengths = _dense(401)
    near = x < 300
    at = scale * np.exp(x[near] / alpha)
    return at, at / alpha * lengths[near]


def unit(*_: float) -> tuple[Array, Array]:
    """Shares, of which none is rounded to 1."""
    x, rest, lengths = _share(401)
    apart = rest > 1e-15
    return x[apart], lengths[apart]


def between(low: float, high: float, *_: float) -> tuple[Array, Array]:
    """Numbers between two ends."""
    x, rest, lengths = _share(401)
    return np.where(x < 0.5, low + (high - low) * x, high - (high - low) * rest), (
        high - low
    ) * lengths


def bent_half(loc: float, scale: float, bend: float, *_: float) -> tuple[Array, Array]:
    """Points above a place, and below an end if there is one."""
    if bend < 0:
        return between(loc, loc - scale / bend)
    x, lengths = _dense(401)
    return loc + scale * x, scale * lengths


def circle(at: float, *_: float) -> tuple[Array, Array]:
    """A period around a place."""
    x = at + np.arange(-128, 128) * np.pi / 128
    return x, np.full(256, np.pi / 128)


# ---- points in planes and in space ---------------------------------------------------------------


def two_shares(*_: float) -> tuple[Array, Array]:
    """Two shares that make a whole."""
    x, rest, lengths = _share(401)
    return np.stack([x, rest], -1), lengths


def three_shares(points: int, end: float) -> Points:
    """Three shares that make a whole: the first one, and which part of the rest is the second."""
    x, rest, lengths = _share(points, end)
    u, v = np.ix_(x, x)
    others = rest[:, None]
    shares = np.stack([u + 0 * v, others * v, others * rest], -1).reshape(-1, 3)
    masses = (lengths[:, None] * others * lengths).ravel()
    return lambda *_: (shares, masses)


def root_of(low: float, mixed: float, high: float) -> Array:
    """The root of a matrix."""
    return np.array([[low, 0.0], [mixed, high]])


def _covered(loc: Array, root: Array) -> tuple[Array, Array]:
    """A plane, by deviations of a Normal distribution."""
    z = np.arange(-20, 21) / 2
    grid = np.stack(np.meshgrid(z, z, indexing="ij"), -1).reshape(-1, 2)
    return loc + grid @ root.T, np.full(len(grid), abs(np.linalg.det(root)) / 4)


def plane(
    a: float, b: float, low: float, mixed: float, high: float, *_: float
) -> tuple[Array, Array]:
    """A plane, around a place and as wide as the root of a covariance says."""
    return _covered(np.array([a, b]), root_of(low, mixed, high))


def low_rank(
    a: float, b: float, f: float, g: float, d: float, e: float, *_: float
) -> tuple[Array, Array]:
    """A plane, around a place, for a covariance of a column and a diagonal."""
    covariance = np.outer([f, g], [f, g]) + np.diag([d, e])
    return _covered(np.array([a, b]), np.linalg.cholesky(covariance))


def matrices(_: float, low: float, mixed: float, high: float, *__: float) -> tuple[Array, Array]:
    """Positive definite matrices, by the entries of the root of one (M. S. Bartlett, 1933)."""
    # Near zero dense, and then not, as what falls like Normal is.
    t = np.linspace(-2.2, 2.3, 41)
    x = np.exp(t - np.exp(-t))
    lengths = x * (1 + np.exp(-t)) * (t[1] - t[0])
    z = np.arange(-11, 12) * 0.75
    a, n, b = (each.ravel() for each in np.meshgrid(x, z, x, indexing="ij"))
    mass = (lengths[:, None, None] * np.full(23, 0.75)[:, None] * lengths).ravel()
    root = np.zeros((len(a), 2, 2))
    root[:, 0, 0], root[:, 1, 0], root[:, 1, 1] = low * a, mixed * a + high * n, high * b
    mass = mass * low * high**2 * 4 * root[:, 0, 0] ** 2 * root[:, 1, 1]
    return root @ root.swapaxes(-1, -2), mass


def correlated(*_: float) -> tuple[Array, Array]:
    """Roots of correlations of two."""
    share, rest, lengths = _share(401)
    root = np.zeros((401, 2, 2))
    root[:, 0, 0], root[:, 1, 0] = 1, share - rest
    root[:, 1, 1] = 2 * np.sqrt(share * rest)
    return root, 2 * lengths


def three_correlated(*_: float) -> tuple[Array, Array]:
    """Roots of correlations of three: the last row is a point of a disk, by radius and angle."""
    share, rest, lengths = _share(41)
    places = np.meshgrid(np.arange(41), np.arange(41), np.arange(8), indexing="ij")
    r, s, eighth = (each.ravel() for each in places)
    angle = eighth * np.pi / 4
    root = np.zeros((len(r), 3, 3))
    root[:, 0, 0], root[:, 1, 0] = 1, share[r] - rest[r]
    root[:, 1, 1] = 2 * np.sqrt(share[r] * rest[r])
    root[:, 2, 0], root[:, 2, 1] = share[s] * np.cos(angle), share[s] * np.sin(angle)
    root[:, 2, 2] = np.sqrt(rest[s] * (1 + share[s]))
    return root, 2 * lengths[r] * share[s] * lengths[s] * np.pi / 4


# ---- counts --------------------------------------------------------------------------------------


def counts(most: int) -> Points:
    """Whole numbers from zero."""
    return lambda *_: (np.arange(most + 1.0), np.ones(most + 1))


def choices(*_: float) -> tuple[Array, Array]:
    """One choice of three."""
    return np.eye(3), np.ones(3)


def several(*_: float) -> tuple[Array, Array]:
    """Three choices of three."""
    counts = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), -1).reshape(-1, 3)
    counts = counts[counts.sum(-1) == 3]
    return counts, np.ones(len(counts))
