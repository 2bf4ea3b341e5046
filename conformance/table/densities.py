"""Logarithms of densities, as functions of a value and parameters that broadcast."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from ..truth.oracles.special import i0, i0e, lgamma
from .arguments import Arguments, Drawing
from .drawing import ABOVE_ONE, SMALL, SMALL_POSITIVE, UNIT, Array, Draw, Shape
from .operation import Operation
from .parts import floats, magnitude, softened
from .special import INNER

LN2, LN_PI, LN_2PI = math.log(2), math.log(math.pi), math.log(2 * math.pi)

BELOW_ONE = table_of(0.75, 0.5, 0.625, 1.0, 0.875)
"""Values from a half to one."""
MIDDLE = table_of(0.5, 0.25, 0.75, 0.125, 0.875, 0.375, 0.625)
"""Values between 0 and 1, not close to either: a square of the distance is divided by."""
APART = table_of(0.25, 0.75, 0.125, 0.875, 0.375, 0.625, 0.0625, 0.9375)
"""Values strictly between 0 and 1, not close to the middle."""
LOW, HIGH = table_of(-1.5, -2.0, -1.25, -3.0), table_of(2.0, 1.5, 1.25, 3.0)

FITTING: dict[int, tuple[tuple[Shape, ...], ...]] = {
    2: (
        ((3,), (3,)), ((2, 3), (3,)), ((3,), ()), ((), ()), ((1, 2), (3, 1)), ((2, 2), (2,)),
        ((0, 3), (1, 3)), ((2, 3, 2), (3, 2)), ((), (2, 2)), ((1,), (3,)),
    ),
    3: (
        ((3,), (3,), (3,)), ((2, 3), (3,), ()), ((), (), ()), ((3,), (1,), ()),
        ((1, 2), (2, 1), (2,)), ((2, 2), (2, 2), (2,)), ((0, 3), (1, 3), ()),
        ((2, 3, 2), (3, 2), (2,)), ((), (2,), (2, 1)), ((1,), (2, 2), ()),
    ),
    4: (
        ((3,), (3,), (3,), (3,)), ((2, 3), (3,), (), ()), ((), (), (), ()), ((3,), (1,), (), (3,)),
        ((1, 2), (2, 1), (2,), ()), ((0, 3), (1, 3), (), (3,)), ((2, 3, 2), (3, 2), (2,), ()),
        ((), (2,), (2, 1), ()), ((2, 2), (2,), (), (2, 2)),
    ),
}  # fmt: skip
"""Shapes that broadcast, of so many tensors: to nothing too, and values that are repeated."""


def fitting(*tables: Array) -> Drawing:
    """Draw tensors that broadcast; what is not the first or second keeps to its table."""

    def draw(d: Draw) -> Arguments:
        shapes = d.shapes(*FITTING[len(tables)])
        return Arguments(
            tuple(
                d.array(shape, table, fixed=n > 1)
                for n, (shape, table) in enumerate(zip(shapes, tables, strict=True))
            )
        )

    return draw


def of_values(*tables: Array, below: int = 5) -> Drawing:
    """Draw whole values, and parameters that broadcast with them."""

    def draw(d: Draw) -> Arguments:
        first, *shapes = d.shapes(*FITTING[1 + len(tables)])
        tensors = tuple(d.array(s, table) for s, table in zip(shapes, tables, strict=True))
        return Arguments(tensors, (), {"value": d.indices(first, below).astype(float)})

    return draw


def of_trials(table: Array) -> Drawing:
    """Draw numbers of successes, a parameter that broadcasts, and the trials: as many, or of each.

    Those of each are more by none, one or two.
    """

    def draw(d: Draw) -> Arguments:
        first, shape = d.shapes(*FITTING[2])
        x, total = d.array(shape, table), d.pick(4.0, 7.0)
        value, more = d.indices(first, 5).astype(float), d.indices(first, 3)
        return Arguments((x,), (), {"total": d.pick(total, total + more), "value": value})

    return draw


def between_bounds(d: Draw) -> Arguments:
    """Draw values, and bounds on both sides of them that broadcast."""
    first, *shapes = d.shapes(*FITTING[3])
    tensors = tuple(d.array(s, table) for s, table in zip(shapes, (LOW, HIGH), strict=True))
    return Arguments(tensors, (), {"value": d.array(first, UNIT)})


def of_constants(word: str) -> Callable[..., Any]:
    """Call a density of values that are constants."""

    def call(be: Any, *parameters: Any, value: Array, **named: Any) -> Any:
        told = [be.tensor(x) if isinstance(x, np.ndarray) else x for x in named.values()]
        return getattr(be, word)(be.tensor(value), *told, *parameters)

    return call


# ---- on the line ---------------------------------------------------------------------------------


def normal(x: Array, loc: Array, scale: Array) -> Any:
    """The bell curve."""
    return -((x - loc) ** 2) / (2 * scale**2) - np.log(scale) - LN_2PI / 2


def normal_again(x: Array, loc: Array, scale: Array) -> Any:
    """The same, by the variance and its logarithm."""
    return (-np.log(2 * math.pi * scale * scale) - (x - loc) ** 2 / (scale * scale)) / 2


def log_normal(x: Array, loc: Array, scale: Array) -> Array:
    """A normal density of the logarithm."""
    made: Array = normal(np.log(x), loc, scale) - np.log(x)
    return made


def laplace(x: Array, loc: Array, scale: Array) -> Any:
    """Two exponential densities, back to back."""
    return -np.log(2 * scale) - magnitude(x - loc) / scale


def cauchy(x: Array, loc: Array, scale: Array) -> Array:
    """The ratio of two normal numbers."""
    return -LN_PI - np.log(scale) - np.log1p(((x - loc) / scale) ** 2)


def cauchy_again(x: Array, loc: Array, scale: Array) -> Array:
    """The same, with one logarithm for what does not depend on x."""
    return -np.log(math.pi * scale) - np.log1p(((x - loc) / scale) ** 2)


def student_t(x: Array, df: Array, loc: Array, scale: Array) -> Any:
    """A normal number over the root of a mean of squares."""
    y = (x - loc) / scale
    size = np.log(scale) + np.log(df) / 2 + LN_PI / 2 + lgamma(df / 2) - lgamma((df + 1) / 2)
    return -(df + 1) / 2 * np.log1p(y * y / df) - size


def gumbel(x: Array, loc: Array, scale: Array) -> Array:
    """The largest of many."""
    y = (loc - x) / scale
    return y - np.exp(y) - np.log(scale)


def logistic(x: Array, loc: Array, scale: Array) -> Array:
    """The derivative of a sigmoid."""
    y = (x - loc) / scale
    return -softened(y) - softened(-y) - np.log(scale)


def logistic_again(x: Array, loc: Array, scale: Array) -> Any:
    """The same, with one of the logarithms for both."""
    y = (x - loc) / scale
    return -y - 2 * softened(-y) - np.log(scale)


def logistic_turned(x: Array, loc: Array, scale: Array) -> Any:
    """The same, by powers, of which one is not small."""
    y = (x - loc) / scale
    return -np.log1p(np.exp(y)) - np.log1p(np.exp(-y)) - np.log(scale)


def relaxed(x: Array, temperature: Array, logits: Array) -> Any:
    """The logit of a coin that comes to rest in between."""
    off = logits - x * temperature
    return np.log(temperature) + off - 2 * softened(off)


def relaxed_again(x: Array, temperature: Array, logits: Array) -> Any:
    """The same, by a power that is not small."""
    off = logits - x * temperature
    return np.log(temperature) + off - 2 * np.log1p(np.exp(off))


def von_mises(x: Array, loc: Array, concentration: Array) -> Any:
    """The bell curve around a circle."""
    k = concentration
    return k * np.cos(x - loc) - LN_2PI - np.log(i0(k))


def von_mises_again(x: Array, loc: Array, concentration: Array) -> Any:
    """The same, without what grows as a power."""
    k = concentration
    return k * (np.cos(x - loc) - 1) - (LN_2PI + np.log(i0e(k)))


# ---- above zero, and between bounds --------------------------------------------------------------


def gamma(x: Array, a: Array, rate: Array) -> Any:
    """A sum of waiting times."""
    return a * np.log(rate) + (a - 1) * np.log(x) - rate * x - lgamma(a)


def gamma_scaled(x: Array, a: Array, rate: Array) -> Any:
    """The same of values that are scaled first."""
    scale = 1 / rate
    y = x / scale
    return (a - 1) * np.log(y) - (y + lgamma(a)) - np.log(scale)


def inverse_gamma(x: Array, a: Array, rate: Array) -> Any:
    """One over a sum of waiting times."""
    return gamma(1 / x, a, rate) - 2 * np.log(x)


def inverse_again(x: Array, a: Array, rate: Array) -> Array:
    """The same, by the quotient of the value and its inverse."""
    y = 1 / x
    made: Array = gamma(y, a, rate) + np.log(y / x)
    return made


def beta(x: Array, a: Array, b: Array) -> Any:
    """A share of two sums of waiting times."""
    size = lgamma(a) + lgamma(b) - lgamma(a + b)
    return (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - size


def dirichlet(w: Array, a: Array) -> Any:
    """Shares of several sums of waiting times."""
    x = w / w.sum(-1, keepdims=True)
    return ((a - 1) * np.log(x)).sum(-1) + lgamma(a.sum(-1)) - lgamma(a).sum(-1)


def pareto(x: Array, scale: Array, a: Array) -> Any:
    """What is larger than a scale, by a power."""
    return np.log(a) + a * np.log(scale) - (a + 1) * np.log(x)


def pareto_again(x: Array, scale: Array, a: Array) -> Any:
    """The same as an exponential density of the logarithm of a quotient."""
    y = x / scale
    return np.log(a) - a * np.log(y) - np.log(y) - np.log(scale)


def weibull(x: Array, scale: Array, k: Array) -> Any:
    """A power of a waiting time."""
    y = np.log(x / scale)
    return np.log(k) - np.log(scale) + (k - 1) * y - np.exp(k * y)


def weibull_again(x: Array, scale: Array, k: Array) -> Array:
    """The same, by way of the waiting time: its exponent is divided by, twice."""
    y = x / scale
    e = 1 / k
    t = np.power(y, 1 / e)
    return -t - np.log(e * y / t) - np.log(scale)


def kumaraswamy(x: Array, a: Array, b: Array) -> Any:
    """A density between 0 and 1 whose distribution function has a closed form."""
    return np.log(a) + np.log(b) + (a - 1) * np.log(x) + (b - 1) * np.log(1 - np.power(x, a))


def kumaraswamy_again(x: Array, a: Array, b: Array) -> Any:
    """The same, by way of a uniform number: powers of powers."""
    y = np.power(x, 1 / (1 / a))
    z = 1 - y
    u = np.power(z, 1 / (1 / b))
    return -np.log(1 / b * z / u) - np.log(1 / a * x / y)


def chance(x: Array, p: Array) -> Any:
    """The logarithm of a chance p, and of 1 - p, shared out by x."""
    return x * np.log(p) + (1 - x) * np.log1p(-p)


def chance_again(x: Array, p: Array) -> Array:
    """The same, by the logit."""
    made: Array = of_logits(x, np.log(p) - np.log1p(-p))
    return made


def of_logits(x: Array, logits: Array) -> Any:
    """The same of a logit."""
    return -(x * softened(-logits) + (1 - x) * softened(logits))


def logits_again(x: Array, logits: Array) -> Array:
    """The same as libraries write it."""
    return -((1 - x) * logits + softened(-logits))


def normalizer(p: Array) -> Any:
    """How much larger the density of a continuous coin is."""
    return np.log((np.log1p(-p) - np.log(p)) / (1 - 2 * p))


def normalizer_again(p: Array) -> Array:
    """The same as a difference of logarithms."""
    return np.log(magnitude(np.log1p(-p) - np.log(p))) - np.log(magnitude(1 - 2 * p))


# ---- whole numbers -------------------------------------------------------------------------------


def poisson(rate: Array, value: Array) -> Any:
    """The number of events."""
    return value * np.log(rate) - rate - lgamma(value + 1 + 0 * rate)


def ways(n: Any, k: Array) -> Array:
    """The logarithm of the number of choices of k out of n."""
    result: Array = lgamma(n + 1 + 0 * k) - lgamma(k + 1) - lgamma(n - k + 1)
    return result


def binomial(p: Array, total: Any, value: Array) -> Any:
    """The number of successes."""
    # What is computed of constants is rounded too.
    return ways(total, value + 0 * p) + value * np.log(p) + (total - value) * np.log1p(-p)


def binomial_again(p: Array, total: Any, value: Array) -> Array:
    """The same, by the logit."""
    made: Array = binomial_of_logits(np.log(p) - np.log1p(-p), total, value)
    return made


def binomial_of_logits(logits: Array, total: Any, value: Array) -> Any:
    """The same of a logit."""
    return ways(total, value + 0 * logits) + value * logits - total * softened(logits)


def negative_binomial(n: Array, p: Array, value: Array) -> Any:
    """The number of successes before failures."""
    size = lgamma(n + value) - lgamma(n) - lgamma(value + 1 + 0 * n)
    return size + n * np.log1p(-p) + value * np.log(p)


def negative_turned(n: Array, p: Array, value: Array) -> Any:
    """The same, by the chance of a failure."""
    q = 1 - p
    size = lgamma(n + value) - lgamma(n) - lgamma(value + 1 + 0 * n)
    return size + n * np.log(q) + value * np.log1p(-q)


def negative_again(n: Array, p: Array, value: Array) -> Any:
    """The same, by the logit."""
    logits = np.log(p) - np.log1p(-p)
    size = lgamma(n + value) - lgamma(n) - lgamma(value + 1 + 0 * n)
    return size - n * softened(logits) - value * softened(-logits)


def logarithms(logits: Array) -> Array:
    """The logarithms of chances, by what is added to all of them."""
    off = logits - floats(logits).max(-1, keepdims=True)
    result: Array = off - np.log(np.exp(off).sum(-1, keepdims=True))
    return result


def chosen(logits: Array, value: Array) -> Any:
    """The logarithm of the chance of one of several, by its place."""
    logs = logarithms(logits)
    at = value.astype(int)
    shape = np.broadcast_shapes(at.shape, logits.shape[:-1])
    marks = np.zeros((*shape, logits.shape[-1]))
    np.put_along_axis(marks, np.broadcast_to(at, shape)[..., None], 1.0, -1)
    return np.where(marks == 1, logs, 0.0).sum(-1)


def choices(d: Draw) -> Arguments:
    """Draw logits of some, and places of them that broadcast."""
    first, logits = d.shapes(
        ((2,), (2, 3)), ((), (3,)), ((3, 2), (2, 2)), ((2, 1), (1, 2, 3)), ((1,), (1, 2)),
        ((0,), (1, 3)),
        many=0,
    )  # fmt: skip
    value = d.indices(first, logits[-1]).astype(float)
    return Arguments((d.array(logits, SMALL),), (), {"value": value})


# ---- vectors -------------------------------------------------------------------------------------

VECTORS = (((2,), (2,)), ((2, 3), (3,)), ((3, 2), (3, 2)), ((1, 2), (2, 1, 2)), ((2,), (2, 2)))
"""Shapes of vectors that broadcast."""


def shares(d: Draw) -> Arguments:
    """Draw what is divided by its sum, and concentrations."""
    x, a = d.shapes(*VECTORS)
    return Arguments((d.array(x, SMALL_POSITIVE), d.array(a, SMALL_POSITIVE)))


def call_dirichlet(be: Any, w: Any, a: Any) -> Any:
    """Call it on shares that add up to 1."""
    return be.dirichlet_log_prob(be.div(w, be.sum(w, -1, True)), a)


def multivariate(x: Array, loc: Array, a: Array) -> Array:
    """The bell curve in several dimensions, by a root of its covariances."""
    off, count = x - loc, a.shape[-1]
    solved: list[Array] = []
    for n in range(count):
        rest = sum((a[..., n, m] * z for m, z in enumerate(solved)), start=0 * a[..., n, n])
        solved.append((off[..., n] - rest) / a[..., n, n])
    squares = sum(z * z for z in solved)
    sizes = sum(np.log(a[..., n, n]) for n in range(count))
    result: Array = -(count * LN_2PI + squares) / 2 - sizes
    return result


def root_of(a: Array) -> Array:
    """The lower triangle L with L L^T = A A^T + I, by columns."""
    count = a.shape[-1]
    whole = a @ np.swapaxes(a, -1, -2) + np.eye(count)
    columns: dict[tuple[int, int], Array] = {}
    for m in range(count):
        for n in range(m, count):
            rest = whole[..., n, m]
            for k in range(m):
                rest = rest - columns[n, k] * columns[m, k]
            columns[n, m] = np.sqrt(rest) if n == m else rest / columns[m, m]
    none = 0 * whole[..., 0, 0]
    rows = [np.stack([columns.get((n, m), none) for m in range(count)], -1) for n in range(count)]
    return np.stack(rows, -2)


def of_covariances(x: Array, loc: Array, a: Array) -> Array:
    """The same by the covariances themselves."""
    return multivariate(x, loc, root_of(a))


def spread(d: Draw) -> Arguments:
    """Draw vectors, means of them, and matrices that are far from singular."""
    x, loc, a = d.shapes(
        ((2,), (2,), (2, 2)), ((3, 2), (2,), (2, 2)), ((2, 3), (3,), (3, 3)),
        ((2,), (2, 1, 2), (2, 2, 2)), ((1,), (1,), (1, 1)),
        many=0,
    )  # fmt: skip
    return Arguments((d.array(x, SMALL), d.array(loc, SMALL), matrix(d, a)))


def matrix(d: Draw, shape: Shape) -> Array:
    """Draw matrices whose diagonal is positive and larger than the sum of what stands beside it."""
    return d.array(shape, SMALL) / 4 + 2 * np.eye(shape[-1])


def call_spread(be: Any, x: Any, loc: Any, a: Any) -> Any:
    """Call it on lower triangles."""
    return be.multivariate_normal_log_prob(x, loc, be.tril(a))


def call_covariances(be: Any, x: Any, loc: Any, a: Any) -> Any:
    """Call it on symmetric matrices."""
    whole = be.add(be.matmul(a, be.transpose(a, -2, -1)), be.tensor(np.eye(be.shape(a)[-1])))
    return be.multivariate_normal_covariance_log_prob(x, loc, whole)


# ---- records -------------------------------------------------------------------------------------

PLACED = fitting(SMALL, SMALL, SMALL_POSITIVE)
POSITIVE_TWO = fitting(SMALL_POSITIVE, SMALL_POSITIVE)
POSITIVE_THREE = fitting(SMALL_POSITIVE, SMALL_POSITIVE, SMALL_POSITIVE)


def density(
    name: str,
    forward: Callable[..., Array],
    draw: Drawing,
    *others: Callable[..., Array],
    **known: Any,
) -> Operation:
    """Make the record of a density; `others` are formulas by which libraries compute it."""
    return Operation(f"{name}_log_prob", forward, draw, formulas=others, **known)


def counted(name: str, forward: Any, draw: Drawing, *others: Any) -> Operation:
    """Make the record of a density of values that are constants."""
    return density(name, forward, draw, *others, call=of_constants(f"{name}_log_prob"))


LOG_PROBS = (
    density("normal", normal, PLACED, normal_again),
    density("log_normal", log_normal, fitting(SMALL_POSITIVE, SMALL, SMALL_POSITIVE)),
    density("laplace", laplace, PLACED, kinks="equal entries", ties=True),
    density("cauchy", cauchy, PLACED, cauchy_again),
    density("student_t", student_t, fitting(SMALL, SMALL_POSITIVE, SMALL, SMALL_POSITIVE)),
    density("gumbel", gumbel, PLACED),
    density("logistic", logistic, PLACED, logistic_again, logistic_turned),
    density("logit_relaxed_bernoulli", relaxed, fitting(SMALL, SMALL_POSITIVE, SMALL),
            relaxed_again),
    density("von_mises", von_mises, PLACED, von_mises_again),
    density("gamma", gamma, POSITIVE_THREE, gamma_scaled),
    density("gamma_standard", lambda x, a: gamma(x, a, 1 + 0 * a), POSITIVE_TWO),
    density("inverse_gamma", inverse_gamma, POSITIVE_THREE, inverse_again),
    density("chi2", lambda x, df: gamma(x, df / 2, 0.5 + 0 * df), POSITIVE_TWO),
    density("exponential", lambda x, rate: np.log(rate) - rate * x, POSITIVE_TWO,
            lambda x, rate: -np.log(1 / rate) - x / (1 / rate)),
    density("half_normal", lambda x, scale: normal(x, 0 * scale, scale) + LN2, POSITIVE_TWO),
    density("half_cauchy", lambda x, scale: cauchy(x, 0 * scale, scale) + LN2, POSITIVE_TWO),
    density("pareto", pareto, fitting(ABOVE_ONE, BELOW_ONE, SMALL_POSITIVE), pareto_again),
    density("weibull", weibull, POSITIVE_THREE, weibull_again),
    density("beta", beta, fitting(MIDDLE, SMALL_POSITIVE, SMALL_POSITIVE)),
    density("kumaraswamy", kumaraswamy, fitting(INNER, SMALL_POSITIVE, SMALL_POSITIVE),
            kumaraswamy_again),
    density("continuous_bernoulli", lambda x, p: chance(x, p) + normalizer(p),
            fitting(INNER, APART), lambda x, p: chance_again(x, p) + normalizer_again(p)),
    density("dirichlet", dirichlet, shares, call=call_dirichlet),
    density("multivariate_normal", multivariate, spread, call=call_spread),
    density("multivariate_normal_covariance", of_covariances, spread, call=call_covariances),
    counted("uniform", lambda low, high, value: 0 * value - np.log(high - low), between_bounds),
    counted("poisson", poisson, of_values(SMALL_POSITIVE)),
    counted("binomial", binomial, of_trials(INNER), binomial_again),
    counted("binomial_logits", binomial_of_logits, of_trials(SMALL)),
    counted("negative_binomial", negative_binomial, of_values(SMALL_POSITIVE, INNER),
            negative_again, negative_turned),
    counted("bernoulli", lambda p, value: chance(value, p), of_values(INNER, below=2),
            lambda p, value: chance_again(value, p)),
    counted("bernoulli_logits", lambda z, value: of_logits(value, z), of_values(SMALL, below=2),
            lambda z, value: logits_again(value, z)),
    counted("geometric", lambda p, value: np.log(p) + value * np.log1p(-p), of_values(INNER)),
    counted("categorical_logits", chosen, choices),
)  # fmt: skip
"""Densities."""
