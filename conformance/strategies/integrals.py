"""Distributions that are drawn by kinds, and what their densities add up to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from ..protocol.subject import Subject
from ..truth import quadrature as on
from ..truth.quadrature import added
from .arrays import Array, arrays, table_of
from .distributions import ABOVE, INSIDE, REAL

STEEP = table_of(3.0, 2.5, 4.0, 3.5)
HIGH = table_of(5.0, 6.0, 4.5, 8.0)
NEAR_HALF = table_of(0.25, 0.49905, 0.75, 0.50095, 0.125, 0.49, 0.875, 0.51)
CONCENTRATIONS = table_of(1.0, 2.0, 0.25, 4.0, 8.0, 3.5)
MANY = table_of(4.0, 3.5, 5.0, 4.5)
BENT = table_of(0.25, -0.5, 0.125, 0.0, -0.25)
STOPPED = table_of(2.0, 1.0, 3.0, 1.5)
TEMPERATE = table_of(1.0, 0.75, 2.0, 1.5)
SOME = table_of(0.5, 0.25, 0.75, 0.375, 0.625)
ROUND = table_of(1.0, 2.0, 1.5, 3.0, 2.5, 1.25)
"""Concentrations of which the density is not infinite where a share is nearly 1, and is rounded."""

# ---- what distributions are made of --------------------------------------------------------------

Rows = Sequence[Any]


def _rows(*words: str) -> Callable[..., dict[str, Any]]:
    return lambda *rows: dict(zip(words, rows, strict=True))


def _stacked(word: str, **named: Any) -> Callable[..., dict[str, Any]]:
    return lambda *rows: {word: np.stack(rows, -1), **named}


def _relaxed(word: str) -> Callable[..., dict[str, Any]]:
    return lambda t, *rows: {"temperature": t[0], word: np.stack(rows, -1)}


def _roots(low: Array, mixed: Array, high: Array) -> Array:
    return np.stack([on.root_of(*each) for each in zip(low, mixed, high, strict=True)])


def _normal(word: str) -> Callable[..., dict[str, Any]]:
    def told(a: Array, b: Array, *root: Array) -> dict[str, Any]:
        return {"loc": np.stack([a, b], -1), word: _of_root(word, _roots(*root))}

    return told


def _of_root(word: str, root: Array) -> Array:
    whole = root @ root.swapaxes(-1, -2)
    inverse = np.linalg.inv(whole).astype(np.float64)
    return {"covariance_matrix": whole, "precision_matrix": inverse}.get(word, root)


def _wishart(word: str) -> Callable[..., dict[str, Any]]:
    return lambda df, *root: {"df": df, word: _of_root(word, _roots(*root))}


def _factored(a: Array, b: Array, f: Array, g: Array, d: Array, e: Array) -> dict[str, Any]:
    loc, factor, rest = (np.stack(pair, -1) for pair in ((a, b), (f, g), (d, e)))
    return {"loc": loc, "cov_factor": factor[..., None], "cov_diag": rest}


class Kind(NamedTuple):
    """What a distribution is made of, where its density is added up, and which figures it has."""

    tables: tuple[Array, ...]
    told: Callable[..., dict[str, Any]]
    points: on.Points
    figures: str
    kept: tuple[int, ...] = ()
    """Parameters that two of a kind share: where one has a density, the other has one."""


ALL = "mean variance entropy mode"
MOMENTS = "mean variance"
LOGITS = (REAL, REAL, REAL)
CHANCES = (ABOVE, ABOVE, ABOVE)
PLANE = (REAL, REAL, ABOVE, REAL, ABOVE)
ROOT = (ABOVE, REAL, ABOVE)

KINDS: Mapping[str, Kind] = {
    **{
        name: Kind((REAL, ABOVE), _rows("loc", "scale"), on.line, figures + " diverge")
        for name, figures in {
            "Normal": ALL, "Gumbel": ALL, "Cauchy": "entropy mode",
        }.items()
    },
    "Laplace": Kind((REAL, ABOVE), _rows("loc", "scale"), on.bent_line, ALL + " diverge"),
    "StudentT": Kind((STEEP, REAL, ABOVE), _rows("df", "loc", "scale"), on.placed, ALL),
    "VonMises": Kind(
        (REAL, CONCENTRATIONS), _rows("loc", "concentration"), on.circle, "mean variance mode"
    ),
    "Exponential": Kind((ABOVE,), _rows("rate"), on.half, ALL + " diverge"),
    "HalfNormal": Kind((ABOVE,), _rows("scale"), on.half, ALL + " diverge"),
    "HalfCauchy": Kind((ABOVE,), _rows("scale"), on.half, "entropy mode"),
    "Gamma": Kind((ABOVE, ABOVE), _rows("concentration", "rate"), on.half, ALL + " diverge"),
    "Chi2": Kind((ABOVE,), _rows("df"), on.half, ALL + " diverge"),
    "InverseGamma": Kind((STEEP, ABOVE), _rows("concentration", "rate"), on.half, ALL),
    "Weibull": Kind((ABOVE, ABOVE), _rows("scale", "concentration"), on.half, ALL),
    "LogNormal": Kind((REAL, SOME), _rows("loc", "scale"), on.half, ALL + " diverge"),
    "FisherSnedecor": Kind((ABOVE, HIGH), _rows("df1", "df2"), on.half, "mean variance mode"),
    "Pareto": Kind((ABOVE, STEEP), _rows("scale", "alpha"), on.far, ALL + " diverge", (0,)),
    "GeneralizedPareto": Kind(
        (REAL, ABOVE, BENT), _rows("loc", "scale", "concentration"), on.bent_half, ALL, (0, 1, 2)
    ),
    "Beta": Kind((ABOVE, ROUND), _rows("concentration1", "concentration0"), on.unit,
                 ALL + " diverge"),
    "Kumaraswamy": Kind((ABOVE, ROUND), _rows("concentration1", "concentration0"), on.unit, ALL),
    "ContinuousBernoulli": Kind((NEAR_HALF,), _rows("probs"), on.unit,
                                "mean variance entropy diverge"),
    "ContinuousBernoulli, logits": Kind((REAL,), _rows("logits"), on.unit,
                                        "mean variance entropy diverge"),
    "RelaxedBernoulli": Kind((ROUND, REAL), _rows("temperature", "logits"), on.unit, ""),
    "RelaxedBernoulli, probs": Kind((ROUND, INSIDE), _rows("temperature", "probs"), on.unit, ""),
    "Uniform": Kind((-ABOVE, ABOVE), _rows("low", "high"), on.between, ALL + " diverge", (0, 1)),
    "Dirichlet": Kind((ABOVE, ABOVE), _stacked("concentration"), on.two_shares, ALL + " diverge"),
    "Dirichlet, three": Kind(CHANCES, _stacked("concentration"), on.three_shares(81, 5.0),
                             ALL + " diverge"),
    "LogisticNormal": Kind((REAL, ABOVE), _rows("loc", "scale"), on.two_shares, ""),
    "RelaxedOneHotCategorical": Kind(
        (TEMPERATE, *LOGITS), _relaxed("logits"), on.three_shares(97, 4.2), ""
    ),
    **{
        f"MultivariateNormal, {word}": Kind(PLANE, _normal(word), on.plane, ALL + " diverge")
        for word in ("scale_tril", "covariance_matrix", "precision_matrix")
    },
    "LowRankMultivariateNormal": Kind(
        (REAL, REAL, REAL, REAL, ABOVE, ABOVE), _factored, on.low_rank, ALL + " diverge"
    ),
    **{
        f"Wishart, {word}": Kind((MANY, *ROOT), _wishart(word), on.matrices, ALL)
        for word in ("scale_tril", "covariance_matrix", "precision_matrix")
    },
    "LKJCholesky": Kind((ABOVE,), lambda a: {"dim": 2, "concentration": a}, on.correlated, ""),
    "LKJCholesky, three": Kind(
        (ABOVE,), lambda a: {"dim": 3, "concentration": a}, on.three_correlated, ""
    ),
    "Poisson": Kind((ABOVE,), _rows("rate"), on.counts(60), "mean variance mode diverge"),
    **{
        f"{name}, {word}": Kind((table,), _rows(word), on.counts(most), figures)
        for word, table in {"probs": INSIDE, "logits": REAL}.items()
        for name, (most, figures) in {
            "Bernoulli": (1, ALL + " diverge"),
            "Geometric": (250, ALL + " diverge"),
        }.items()
    },
    **{
        f"Binomial, {word}": Kind(
            (table,),
            lambda row, word=word: {"total_count": 3, word: row},
            on.counts(3),
            ALL + " diverge",
        )
        for word, table in {"probs": INSIDE, "logits": REAL}.items()
    },
    **{
        f"NegativeBinomial, {word}": Kind(
            (STOPPED, table), _rows("total_count", word), on.counts(400), "mean variance mode"
        )
        for word, table in {"probs": INSIDE, "logits": REAL}.items()
    },
    **{
        f"{name}, {word}": Kind(tables, _stacked(word, **named), points, figures)
        for word, tables in {"probs": CHANCES, "logits": LOGITS}.items()
        for name, named, points, figures in (
            ("Categorical", {}, on.counts(2), "entropy mode diverge"),
            ("OneHotCategorical", {}, on.choices, ALL + " diverge"),
            ("Multinomial", {"total_count": 3}, on.several, "mean variance entropy"),
        )
    },
}  # fmt: skip
"""Distributions by name, and after a comma by what they are made of."""


def of_kinds(sides: int = 1, having: str = "") -> list[st.SearchStrategy[Any]]:
    """For each kind that has a figure, draw its name and parameters of one or two of it."""

    def of(name: str) -> st.SearchStrategy[Any]:
        kind = KINDS[name]
        one = st.tuples(*(arrays(values=table, shape=(2,)) for table in kind.tables)).map(list)
        return st.tuples(st.just(name), *[one] * sides)

    return [of(name) for name in sorted(KINDS) if having in KINDS[name].figures]


def made_of(be: Subject, name: str, rows: Rows, **options: Any) -> Any:
    """Make two distributions of one kind, in a batch."""
    told = {
        word: value if isinstance(value, int) else be.tensor(value)
        for word, value in KINDS[name].told(*rows).items()
    }
    if name == "LogisticNormal":
        told = {word: be.unsqueeze(value, -1) for word, value in told.items()}
    return be.distribution(name.partition(",")[0], **told, **options)


def beside(name: str, rows: Rows, others: Rows) -> Rows:
    """Return parameters of another one of a kind, which has a density where the first one has."""
    kept = KINDS[name].kept
    return [row if n in kept else others[n] for n, row in enumerate(rows)]


def points_of(name: str, *rows: Array) -> tuple[Array, Array]:
    """Return points for a batch, and what each of them stands for."""
    parts = [KINDS[name].points(*map(float, column)) for column in zip(*rows, strict=True)]
    points, lengths = zip(*parts, strict=True)
    return np.stack(points, 1), np.stack(lengths, 1)


def figures_of(name: str, x: Array, lengths: Array, log_p: Array) -> dict[str, tuple[Array, Array]]:
    """Return what a density adds up to, and the figures of it that are integrals.

    Those of von Mises are circular, and its series are known to seven digits
    (M. Abramowitz and I. A. Stegun, 9.8.1 to 9.8.4).
    """
    found = {"density": added(lengths, log_p, np.ones(log_p.shape))}
    if "mean" in KINDS[name].figures:
        mean, off = added(lengths, log_p, x)
        apart = (x - mean) ** 2
        if name == "VonMises":
            turned = [added(lengths, log_p, part(x))[0] for part in (np.cos, np.sin)]
            mean = np.arctan2(turned[1], turned[0])
            apart = 1 - np.cos(x - mean)
        found |= {"mean": (mean, off), "variance": added(lengths, log_p, apart)}
    if "entropy" in KINDS[name].figures:
        found["entropy"] = added(lengths, log_p, -log_p)
    times = {"VonMises": 256}.get(name, 1)
    return {word: (value, times * off) for word, (value, off) in found.items()}
