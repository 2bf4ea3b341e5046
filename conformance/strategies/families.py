"""Families of distributions: mixtures, vectors, matrices, and the figures of many."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject
from ..truth.oracles.backpropagation import pulled_back
from ..truth.oracles.elementary import erf
from ..truth.oracles.jets import Jet
from ..truth.oracles.special import digamma, lgamma
from ..truth.oracles.steps import directional_derivative
from ..truth.tolerance import Total
from .arrays import Array, arrays, table_of
from .distributions import ABOVE, REAL, around
from .divergences import APART, LN_2PI, NARROW, STEEP, WIDE
from .transformed import softmax

# ---- by logits -----------------------------------------------------------------------------------

FAR = table_of(0.5, -2.0, 20.0, -20.0, 50.0, -50.0)
"""Logits close to zero and far from it, where chances are rounded to 1."""


def _softened(z: Array) -> Array:
    """Log of 1 + e ** z, without a power that is too large."""
    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))


def _chance(z: Array) -> Array:
    return np.exp(-_softened(-z))


def _spread(z: Array) -> Array:
    """The logarithm of the integral of e ** (z x) between 0 and 1."""
    return np.maximum(z, 0) + np.log(-np.expm1(-np.abs(z)) / np.abs(z))


def _middle(z: Array) -> Array:
    """The mean of a continuous Bernoulli distribution, the derivative of that logarithm."""
    return np.where(z > 0, 1, 0) + np.sign(z) / np.expm1(np.abs(z)) - 1 / z


Figures = tuple[Array, Array]
"""Values, and their derivatives by logits."""

BY_LOGITS: Mapping[str, tuple[Mapping[str, float], float, Callable[[Array], Figures]]] = {
    "Bernoulli": ({}, 0.0, lambda z: (-_softened(z), -_chance(z))),
    "Geometric": ({}, 2.0, lambda z: (-_softened(-z) - 2 * _softened(z), 1 - 3 * _chance(z))),
    "Binomial": (
        {"total_count": 3.0},
        2.0,
        lambda z: (math.log(3) - 2 * _softened(-z) - _softened(z), 2 - 3 * _chance(z)),
    ),
    "NegativeBinomial": (
        {"total_count": 2.0},
        1.0,
        lambda z: (math.log(2) - _softened(-z) - 2 * _softened(z), 1 - 3 * _chance(z)),
    ),
    "ContinuousBernoulli": ({}, 0.25, lambda z: (z / 4 - _spread(z), 0.25 - _middle(z))),
}
"""Kinds that are given logits: what else they are given, a value, and the logarithm of its density
by logits, with the derivative."""


def _parted(p: Array, q: Array) -> Array:
    heads = _chance(p) * (_softened(-q) - _softened(-p))
    return heads + _chance(-p) * (_softened(q) - _softened(p))


PARTED: Mapping[str, tuple[Mapping[str, float], Callable[[Array, Array], Array]]] = {
    "Bernoulli": ({}, _parted),
    "Binomial": ({"total_count": 3.0}, lambda p, q: 3 * _parted(p, q)),
    "Geometric": ({}, lambda p, q: _parted(p, q) / _chance(p)),
    "ContinuousBernoulli": ({}, lambda p, q: (p - q) * _middle(p) - _spread(p) + _spread(q)),
}
"""Kinds that are given logits, and how one diverges from another."""

# ---- functions on jets, and gradients by all of their arguments ----------------------------------


def check_all(
    be: Subject, found: Any, function: Callable[..., Any], leaves: Sequence[Any], what: str
) -> None:
    """Compare a result, and the gradients of a sum of its entries, with those of a function."""
    __tracebackhide__ = True
    values = [be.numpy(leaf).astype(float) for leaf in leaves]
    seeds = Jet.seeds(values)
    true = function(*seeds)
    w = np.resize([1.0, -0.5, 2.0, 0.25], true.shape)
    be.check(found, true, what)
    gradients = be.gradients(found, leaves, be.tensor(w), retain_graph=True, allow_unused=True)
    for gradient, right in zip(gradients, pulled_back(true, w, seeds), strict=True):
        be.check_gradient(gradient, right, f"gradient of {what}")


def logarithm_of_sum(x: Any) -> Any:
    """The logarithm of the sum of exponentials along the last axis."""
    return np.log(np.sum(np.exp(x), -1))


def mixed(x: Any, logits: Any, loc: Any, scale: Any) -> Any:
    """The density of a mixture of bell curves, as its logarithm."""
    each = -(((x[..., None] - loc) / scale) ** 2) / 2 - np.log(scale) - LN_2PI / 2
    return logarithm_of_sum(logits - logarithm_of_sum(logits)[..., None] + each)


def mixed_below(x: Any, logits: Any, loc: Any, scale: Any) -> Any:
    """The share of a mixture of bell curves below a point."""
    each = (1 + erf((x[..., None] - loc) / (scale * math.sqrt(2)))) / 2
    return np.sum(softmax(logits) * each, -1)


def mixed_mean(logits: Any, loc: Any, scale: Any) -> Any:
    """The mean of a mixture."""
    return np.sum(softmax(logits) * (loc + 0 * scale), -1)


def mixed_variance(logits: Any, loc: Any, scale: Any) -> Any:
    """The variance of a mixture: of squares about its own mean."""
    p = softmax(logits)
    off = loc - np.sum(p * loc, -1)[..., None]
    return np.sum(p * (off * off + scale * scale), -1)


# ---- matrices ------------------------------------------------------------------------------------


def transposed(a: Any) -> Any:
    """The transpose of a matrix."""
    return np.swapaxes(a, -1, -2)


def squared(root: Any) -> Any:
    """The matrix of which this is a root, by what is not above the diagonal."""
    low = root * np.tril(np.ones(root.shape[-2:]))
    return np.matmul(low, transposed(low))


def whole(factor: Any, diagonal: Any) -> Any:
    """The covariances of what has few factors, and noise of its own."""
    return np.matmul(factor, transposed(factor)) + diagonal[..., None] * np.eye(3)


def logdet(a: Any) -> Any:
    """The logarithm of a determinant."""
    return np.log(np.linalg.det(a))


def bell(x: Any, loc: Any, covariances: Any) -> Any:
    """The density of a vector."""
    off = (x - loc)[..., None]
    far = np.sum(off * np.linalg.solve(covariances, off), (-2, -1))
    return -(3 * LN_2PI + logdet(covariances) + far) / 2


def spread(covariances: Any) -> Any:
    """The entropy of a vector."""
    return (3 * (1 + LN_2PI) + logdet(covariances)) / 2


def bells(loc: Any, covariances: Any, other: Any, others: Any) -> Any:
    """The divergence of one vector from another."""
    off = (other - loc)[..., None]
    trace = np.sum(np.linalg.solve(others, covariances) * np.eye(3), (-2, -1))
    far = np.sum(off * np.linalg.solve(others, off), (-2, -1))
    return (logdet(others) - logdet(covariances) + trace + far - 3) / 2


def many_gammas(a: Any, size: int) -> Any:
    """The logarithm of the gamma function of matrices."""
    start = size * (size - 1) / 4 * math.log(math.pi)
    return sum((lgamma(a - k / 2) for k in range(size)), start=start + 0 * a)


def wishart(value: Any, df: Any, root: Any) -> Any:
    """The density of a matrix of sums of products."""
    size = value.shape[-1]
    scale = squared(root)
    trace = np.sum(np.linalg.solve(scale, value) * np.eye(size), (-2, -1))
    ends = df * size / 2 * math.log(2) + df / 2 * logdet(scale) + many_gammas(df / 2, size)
    return (df - size - 1) / 2 * logdet(value) - trace / 2 - ends


def wishart_entropy(df: Any, root: Any) -> Any:
    """The entropy of the same."""
    scale, size = squared(root), root.shape[-1]
    moved = sum((digamma(df / 2 - k / 2) for k in range(size)), start=0 * df)
    ends = (size + 1) / 2 * logdet(scale) + size * (size + 1) / 2 * math.log(2)
    return ends + many_gammas(df / 2, size) - (df - size - 1) / 2 * moved + df * size / 2


def wishart_mean(df: Any, root: Any) -> Any:
    """The mean of the same."""
    return df[..., None, None] * squared(root)


def wishart_variance(df: Any, root: Any) -> Any:
    """The variances of the same."""
    scale = squared(root)
    own = np.sum(scale * np.eye(root.shape[-1]), -1)
    return df[..., None, None] * (scale * scale + own[..., :, None] * own[..., None, :])


def wisharts(df: Any, root: Any, other: Any, others: Any) -> Any:
    """The divergence of one such distribution from another."""
    size = root.shape[-1]
    p, q = (squared(r) for r in (root, others))
    moved = sum((digamma(df / 2 - k / 2) for k in range(size)), start=0 * df)
    trace = np.sum(np.linalg.solve(q, p) * np.eye(size), (-2, -1))
    ends = many_gammas(other / 2, size) - many_gammas(df / 2, size)
    sizes = other / 2 * (logdet(q) - logdet(p))
    return sizes + ends + (df - other) / 2 * moved + df / 2 * (trace - size)


def correlations(concentration: Any, value: Array) -> Any:
    """The density of Cholesky factors of matrices of correlations."""
    size = value.shape[-1]
    total = 0 * concentration
    for k in range(1, size):
        total = total + (2 * concentration - 2 + size - 1 - k) * np.log(value[..., k, k])
        total = total - k / 2 * math.log(math.pi) - lgamma(concentration + (size - 1 - k) / 2)
        total = total + lgamma(concentration + (size - 1) / 2)
    return total


def general_pareto(x: Any, loc: Any, scale: Any, c: Any) -> Any:
    """The density of what exceeds a threshold, whose tail is a power."""
    return -np.log(scale) - (1 + 1 / c) * np.log(1 + c * (x - loc) / scale)


def normals(be: Subject, seed: int) -> tuple[Any, list[Any], Any, tuple[int, ...]]:
    """Draw a normal distribution of vectors, its leaves, covariances as a function, and its batch.

    It has few factors and noise, or a triangular root; the batch has one or two vectors.
    """
    rng = np.random.default_rng(seed)
    lead = [(), (2,), (1,)][rng.integers(3)]
    loc = rng.integers(-4, 5, size=(*lead, 3)) / 4
    if rng.integers(2):
        factor = rng.integers(-4, 5, size=(*lead, 3, int(rng.integers(1, 3)))) / 4
        values = [loc, factor, rng.integers(2, 9, size=(*lead, 3)) / 4]
        leaves = [be.leaf(v) for v in values]
        made = be.distribution("LowRankMultivariateNormal", *leaves)
        return made, leaves, whole, lead
    root = np.tril(rng.integers(-4, 5, size=(*lead, 3, 3)) / 4, -1)
    root = root + np.eye(3) * rng.integers(2, 7, size=(*lead, 3, 1)) / 4
    leaves = [be.leaf(loc), be.leaf(root)]
    made = be.distribution("MultivariateNormal", leaves[0], scale_tril=be.tril(leaves[1]))
    return made, leaves, squared, lead


def subclasses(be: Subject) -> list[Any]:
    """Return a normal distribution's class, a class below it, and one below that."""
    found = [type(be.distribution("Normal", be.tensor(np.zeros(())), be.tensor(np.ones(()))))]
    for name in ("Child", "Grandchild"):
        found.append(type(name, (found[-1],), {}))
    return found


# ---- means, variances and modes ------------------------------------------------------------------


def _kumaraswamy(n: int, a: Any, b: Any) -> Any:
    """The mean of the power n."""
    return b * np.exp(lgamma(1 + n / a) + lgamma(b) - lgamma(1 + n / a + b))


def _weibull(n: int, scale: Any, k: Any) -> Any:
    return scale**n * np.exp(lgamma(1 + n / k))


def _fisher(m: Any, n: Any) -> Any:
    return 2 * n**2 * (m + n - 2) / (m * (n - 2) ** 2 * (n - 4))


def _odds(p: Any) -> Any:
    """The mean of a continuous coin."""
    return p / (2 * p - 1) + 1 / (2 * np.arctanh(1 - 2 * p))


FIVE = table_of(5.0, 6.5, 8.0)
ABOVE_TWO = table_of(2.5, 3.0, 4.5)
BELOW_HALF = table_of(0.25, -0.5, 0.125, -0.25)

WITHOUT_END = (
    ("mean", "StudentT", (0.5,)), ("mean", "StudentT", (1.0,)), ("mean", "Pareto", (1.0, 0.5)),
    ("mean", "Pareto", (1.0, 1.0)), ("mean", "InverseGamma", (0.5, 1.0)),
    ("mean", "Cauchy", (0, 1)), ("mean", "InverseGamma", (1.0, 1.0)),
    ("mean", "FisherSnedecor", (3.0, 1.0)), ("mean", "FisherSnedecor", (3.0, 2.0)),
    ("mean", "HalfCauchy", (1.0,)), ("mean", "GeneralizedPareto", (0.0, 1.0, 1.0)),
    ("variance", "StudentT", (1.0,)), ("variance", "StudentT", (1.5,)),
    ("variance", "StudentT", (2.0,)), ("variance", "Pareto", (1.0, 1.5)),
    ("variance", "Pareto", (1.0, 2.0)), ("variance", "InverseGamma", (1.5, 1.0)),
    ("variance", "InverseGamma", (2.0, 1.0)), ("variance", "FisherSnedecor", (3.0, 3.0)),
    ("variance", "FisherSnedecor", (3.0, 4.0)), ("variance", "Cauchy", (0, 1)),
    ("variance", "HalfCauchy", (1.0,)), ("variance", "GeneralizedPareto", (0.0, 1.0, 0.5)),
)  # fmt: skip
"""Figures that are no numbers: their integrals do not converge, here or at the edge of where."""

FIGURES: Mapping[tuple[str, str], tuple[tuple[Array, ...], Callable[..., Any]]] = {
    ("Beta", "mean"): ((ABOVE, ABOVE), lambda a, b: a / (a + b)),
    ("Beta", "variance"): ((ABOVE, ABOVE), lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1))),
    ("Beta", "mode"): ((ABOVE_TWO, ABOVE_TWO), lambda a, b: (a - 1) / (a + b - 2)),
    ("Gamma", "mean"): ((ABOVE, ABOVE), lambda a, r: a / r),
    ("Gamma", "variance"): ((ABOVE, ABOVE), lambda a, r: a / r**2),
    ("Gamma", "mode"): ((ABOVE_TWO, ABOVE), lambda a, r: (a - 1) / r),
    ("Chi2", "variance"): ((ABOVE,), lambda n: 2 * n),
    ("InverseGamma", "mean"): ((ABOVE_TWO, ABOVE), lambda a, r: r / (a - 1)),
    ("InverseGamma", "variance"): (
        (ABOVE_TWO, ABOVE),
        lambda a, r: r**2 / ((a - 1) ** 2 * (a - 2)),
    ),
    ("InverseGamma", "mode"): ((ABOVE, ABOVE), lambda a, r: r / (a + 1)),
    ("StudentT", "variance"): ((FIVE, REAL, ABOVE), lambda n, m, s: s**2 * n / (n - 2) + 0 * m),
    ("FisherSnedecor", "mean"): ((ABOVE, FIVE), lambda m, n: n / (n - 2) + 0 * m),
    ("FisherSnedecor", "variance"): ((ABOVE, FIVE), _fisher),
    ("FisherSnedecor", "mode"): ((FIVE, FIVE), lambda m, n: (m - 2) / m * n / (n + 2)),
    ("Weibull", "mean"): ((ABOVE, ABOVE), lambda s, k: _weibull(1, s, k)),
    ("Weibull", "variance"): (
        (ABOVE, ABOVE),
        lambda s, k: _weibull(2, s, k) - _weibull(1, s, k) ** 2,
    ),
    ("Weibull", "mode"): ((ABOVE, ABOVE_TWO), lambda s, k: s * ((k - 1) / k) ** (1 / k)),
    ("Kumaraswamy", "mean"): ((ABOVE, ABOVE), lambda a, b: _kumaraswamy(1, a, b)),
    ("Kumaraswamy", "variance"): (
        (ABOVE, ABOVE),
        lambda a, b: _kumaraswamy(2, a, b) - _kumaraswamy(1, a, b) ** 2,
    ),
    ("LogNormal", "mean"): ((REAL, ABOVE), lambda m, s: np.exp(m + s**2 / 2)),
    ("LogNormal", "variance"): (
        (REAL, WIDE),
        lambda m, s: (np.exp(s**2) - 1) * np.exp(2 * m + s**2),
    ),
    ("LogNormal", "mode"): ((REAL, ABOVE), lambda m, s: np.exp(m - s**2)),
    ("Pareto", "mean"): ((ABOVE, STEEP), lambda s, a: a * s / (a - 1)),
    ("Pareto", "variance"): ((ABOVE, STEEP), lambda s, a: s**2 * a / ((a - 1) ** 2 * (a - 2))),
    ("Gumbel", "mean"): ((REAL, ABOVE), lambda m, s: m + 0.5772156649015329 * s),
    ("Gumbel", "variance"): ((REAL, ABOVE), lambda m, s: (np.pi * s) ** 2 / 6 + 0 * m),
    ("Laplace", "variance"): ((REAL, ABOVE), lambda m, s: 2 * s**2 + 0 * m),
    ("HalfNormal", "mean"): ((ABOVE,), lambda s: s * np.sqrt(2 / np.pi)),
    ("HalfNormal", "variance"): ((ABOVE,), lambda s: s**2 * (1 - 2 / np.pi)),
    ("Uniform", "mean"): (NARROW, lambda low, high: (low + high) / 2),
    ("Uniform", "variance"): (NARROW, lambda low, high: (high - low) ** 2 / 12),
    ("Exponential", "variance"): ((ABOVE,), lambda r: 1 / r**2),
    ("ContinuousBernoulli", "mean"): ((APART,), _odds),
    ("ContinuousBernoulli", "variance"): (
        (APART,),
        lambda p: p * (p - 1) / (1 - 2 * p) ** 2 + 1 / (2 * np.arctanh(1 - 2 * p)) ** 2,
    ),
    ("Bernoulli", "variance"): ((APART,), lambda p: p * (1 - p)),
    ("Geometric", "mean"): ((APART,), lambda p: 1 / p - 1),
    ("Geometric", "variance"): ((APART,), lambda p: (1 - p) / p**2),
    ("NegativeBinomial", "mean"): ((ABOVE, APART), lambda n, p: n * p / (1 - p)),
    ("NegativeBinomial", "variance"): ((ABOVE, APART), lambda n, p: n * p / (1 - p) ** 2),
    ("GeneralizedPareto", "mean"): (
        (REAL, ABOVE, BELOW_HALF),
        lambda m, s, c: m + s / (1 - c),
    ),
    ("GeneralizedPareto", "variance"): (
        (REAL, ABOVE, BELOW_HALF),
        lambda m, s, c: s**2 / ((1 - c) ** 2 * (1 - 2 * c)) + 0 * m,
    ),
}
"""Figures of distributions: values of parameters, and the formula."""


def figures() -> st.SearchStrategy[tuple[tuple[str, str, list[Array]], ...]]:
    """Draw of each figure the name of its distribution, its own, and rows of parameters."""

    def of(key: tuple[str, str]) -> st.SearchStrategy[Any]:
        rows = [arrays(values=table, shape=(2,)) for table in FIGURES[key][0]]
        return st.tuples(st.just(key[0]), st.just(key[1]), st.tuples(*rows).map(list))

    return st.tuples(*map(of, sorted(FIGURES)))


def figure(name: str, word: str, values: Sequence[Array]) -> tuple[Total, list[Total]]:
    """Return a figure, and its gradients by all parameters."""
    function = FIGURES[name, word][1]
    value = function(*values)
    moves = np.eye(len(values))
    derivatives = [directional_derivative(function, values, [*along]) for along in moves]
    # A difference of moments is off by as much as they are.
    size = np.abs(value) + sum(np.abs(v) for v in values) ** 2
    steep = 1 + sum(np.abs(each) for each in derivatives)
    return around(value, 8 * size), [around(each, 16 * (steep + size)) for each in derivatives]
