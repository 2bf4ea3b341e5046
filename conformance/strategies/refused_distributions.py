"""What distributions are made of, at its bounds and beyond, and values that they give or do not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..protocol.subject import Subject

NAN, INF = float("nan"), float("inf")

Bounds = tuple[Sequence[Any], Sequence[Any]]

# ---- parameters ----------------------------------------------------------------------------------

REAL: Bounds = ((0.0, -2.0), (NAN,))
ABOVE: Bounds = ((0.25, 3.0), (0.0, -1.0, NAN))
SHARE: Bounds = ((0.0, 0.5, 1.0), (-0.25, 1.25, NAN))
COUNT: Bounds = ((0.0, 3.0), (-1.0, 0.5, NAN))
VECTOR: Bounds = (([0.0, -2.0],), ([0.0, NAN], [NAN, 1.0]))
SHARES: Bounds = (([0.5, 0.5], [0.0, 1.0]), ([-0.25, 1.25], [1.25, -0.25], [NAN, 1.0]))
SIZES: Bounds = (([0.25, 3.0],), ([0.0, 1.0], [1.0, -1.0], [1.0, NAN]))
UNIT = [[1.0, 0.0], [0.0, 1.0]]
EVEN: Bounds = (
    (UNIT, [[2.0, 1.0], [1.0, 2.0]]),
    ([[1.0, 2.0], [2.0, 1.0]], [[2.0, 1.0], [0.0, 2.0]], [[-1.0, 0.0], [0.0, 1.0]]),
)
LOWER: Bounds = (
    (UNIT, [[0.5, 0.0], [-2.0, 1.0]]),
    ([[1.0, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, -1.0]]),
)
LOCATED = {"loc": REAL, "scale": ABOVE}
BY_CHANCE = {"probs": SHARE, "logits": REAL}
BY_CHANCES = {"probs": SHARES, "logits": VECTOR}
AROUND = {"loc": VECTOR, "covariance_matrix": EVEN, "precision_matrix": EVEN, "scale_tril": LOWER}

OPTIONS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Bounds]]] = {
    "Bernoulli": ({}, BY_CHANCE),
    "Beta": ({}, {"concentration1": ABOVE, "concentration0": ABOVE}),
    "Binomial": ({"total_count": 3}, BY_CHANCE),
    "Binomial, counted": ({"probs": 0.5}, {"total_count": COUNT}),
    "Categorical": ({}, BY_CHANCES),
    "Cauchy": ({}, LOCATED),
    "Chi2": ({}, {"df": ABOVE}),
    "ContinuousBernoulli": ({}, BY_CHANCE),
    "Dirichlet": ({}, {"concentration": SIZES}),
    "Exponential": ({}, {"rate": ABOVE}),
    "FisherSnedecor": ({}, {"df1": ABOVE, "df2": ABOVE}),
    "Gamma": ({}, {"concentration": ABOVE, "rate": ABOVE}),
    "GeneralizedPareto": ({}, {**LOCATED, "concentration": REAL}),
    "Geometric": ({}, {"probs": ((0.5, 1.0), (0.0, -0.25, 1.25)), "logits": REAL}),
    "Gumbel": ({}, LOCATED),
    "HalfCauchy": ({}, {"scale": ABOVE}),
    "HalfNormal": ({}, {"scale": ABOVE}),
    "InverseGamma": ({}, {"concentration": ABOVE, "rate": ABOVE}),
    "Kumaraswamy": ({}, {"concentration1": ABOVE, "concentration0": ABOVE}),
    "LKJCholesky": ({"dim": 3}, {"concentration": ABOVE}),
    "Laplace": ({}, LOCATED),
    "LogNormal": ({}, LOCATED),
    "LogisticNormal": ({}, {"loc": VECTOR, "scale": SIZES}),
    "LowRankMultivariateNormal": (
        {"cov_factor": [[1.0], [0.0]]},
        {"loc": VECTOR, "cov_diag": (([0.25, 3.0],), ([0.0, 1.0], [1.0, -0.125]))},
    ),
    "Multinomial": ({"total_count": 3}, BY_CHANCES),
    "MultivariateNormal": ({}, AROUND),
    "NegativeBinomial": ({"probs": 0.5}, {"total_count": ((0.0, 2.5), (-0.5, NAN))}),
    "NegativeBinomial, by chances": (
        {"total_count": 3.0}, {"probs": ((0.0, 0.75), (1.0, -0.25, NAN)), "logits": REAL}
    ),
    "Normal": ({}, LOCATED),
    "OneHotCategorical": ({}, BY_CHANCES),
    "Pareto": ({}, {"scale": ABOVE, "alpha": ABOVE}),
    "Poisson": ({}, {"rate": ((0.0, 3.0), (-1.0, NAN))}),
    "RelaxedBernoulli": ({"temperature": 0.5}, BY_CHANCE),
    "RelaxedOneHotCategorical": ({"temperature": 0.5}, BY_CHANCES),
    "StudentT": ({}, {"df": ABOVE, **LOCATED}),
    "Uniform": ({"high": 1.0}, {"low": ((0.75, -2.0), (1.0, 2.0, NAN))}),
    "Uniform, from": ({"low": 1.0}, {"high": ((1.25,), (1.0, 0.0, NAN))}),
    "VonMises": ({}, {"loc": REAL, "concentration": ABOVE}),
    "Weibull": ({}, {"scale": ABOVE, "concentration": ABOVE}),
    "Wishart": ({"df": 2.5}, {word: AROUND[word] for word in AROUND if word != "loc"}),
    "Wishart, free": ({"scale_tril": UNIT}, {"df": ((1.25, 3.0), (1.0, 0.5, -1.0, NAN))}),
}  # fmt: skip
"""What a distribution is given in any case; and what it may be given, which is taken and which not.
Of what are other ways to tell the same, one is given."""

OTHER_WAYS = ("probs", "logits"), ("covariance_matrix", "precision_matrix", "scale_tril")

PLAIN = ("Multinomial", "total_count"), ("LKJCholesky", "dim")
"""Options that are numbers of Python."""


def made(be: Subject, name: str, options: Mapping[str, Any], **more: Any) -> Any:
    """Make a distribution of arrays and numbers."""
    told = {
        word: value if (name, word) in PLAIN else be.tensor(np.array(value, float))
        for word, value in options.items()
    }
    return be.distribution(name, **told, **more)


# ---- values --------------------------------------------------------------------------------------


class Values(NamedTuple):
    """A distribution, values that it may give, and others."""

    name: str
    options: Mapping[str, Any]
    inside: Sequence[Any]
    outside: Sequence[Any]


STANDARD = {"loc": 0.0, "scale": 1.0}
TWO = {"concentration1": 2.0, "concentration0": 3.0}
PARTS: Bounds = (([0.25, 0.75],), ([0.5, 0.25], [-0.25, 1.25], [NAN, 0.5]))
CORNERS: Bounds = (([1.0, 0.0], [0.0, 1.0]), ([1.0, 1.0], [0.5, 0.5], [0.0, 0.0]))
ROWS: Bounds = (
    ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.6, 0.8]]),
    ([[1.0, 0.0], [0.5, 0.5]], [[1.0, 0.0], [0.6, -0.8]], [[0.8, 0.6], [0.0, 1.0]]),
)
VALUES = [
    Values("Bernoulli", {"probs": 0.5}, (0.0, 1.0), (0.5, -1.0, 2.0, NAN)),
    Values("Beta", TWO, (0.0, 0.5, 1.0), (-0.25, 1.25, NAN)),
    Values("Binomial", {"total_count": 3, "probs": 0.5}, (0.0, 3.0), (-1.0, 4.0, 0.5)),
    Values("Categorical", {"probs": [0.5, 0.5]}, (0.0, 1.0), (2.0, -1.0, 0.5)),
    Values("Cauchy", STANDARD, *REAL),
    Values("Chi2", {"df": 2.0}, (0.0, 1.0), (-1.0, NAN)),
    Values("ContinuousBernoulli", {"probs": 0.25}, (0.0, 0.5, 1.0), (-0.25, 1.25, NAN)),
    Values("Dirichlet", {"concentration": [2.0, 3.0]}, ([0.5, 0.5], [0.0, 1.0]), PARTS[1]),
    Values("Exponential", {"rate": 2.0}, (0.0, 1.0), (-1.0, NAN)),
    Values("FisherSnedecor", {"df1": 2.0, "df2": 3.0}, (0.5,), (0.0, -1.0, NAN)),
    Values("Gamma", {"concentration": 2.0, "rate": 1.0}, (0.0, 1.0), (-1.0, NAN)),
    Values("GeneralizedPareto", {"loc": 1.0, "scale": 1.0, "concentration": -0.5},
           (1.0, 3.0), (0.5, 3.5, NAN)),
    Values("GeneralizedPareto", {"loc": 1.0, "scale": 1.0, "concentration": 0.5},
           (1.0, 9.0), (0.5, NAN)),
    Values("Geometric", {"probs": 0.5}, (0.0, 3.0), (-1.0, 0.5, NAN)),
    Values("Gumbel", STANDARD, *REAL),
    Values("HalfCauchy", {"scale": 1.0}, (0.0, 1.0), (-1.0, NAN)),
    Values("HalfNormal", {"scale": 1.0}, (0.0, 1.0), (-1.0, NAN)),
    Values("InverseGamma", {"concentration": 2.0, "rate": 1.0}, (0.5,), (0.0, -1.0, NAN)),
    Values("Kumaraswamy", TWO, (0.5,), (-0.25, 1.25, NAN)),
    Values("LKJCholesky", {"dim": 2, "concentration": 1.0}, *ROWS),
    Values("Laplace", STANDARD, *REAL),
    Values("LogNormal", STANDARD, (0.5,), (0.0, -1.0, NAN)),
    Values("LogisticNormal", {"loc": [0.0], "scale": [1.0]}, *PARTS),
    Values("LowRankMultivariateNormal",
           {"loc": [0.0, 1.0], "cov_factor": [[1.0], [0.0]], "cov_diag": [1.0, 1.0]}, *VECTOR),
    Values("Multinomial", {"total_count": 3, "probs": [0.5, 0.5]},
           ([1.0, 2.0], [3.0, 0.0]), ([-1.0, 4.0], [4.0, 0.0], [2.0, 2.0])),
    Values("MultivariateNormal", {"loc": [0.0, 1.0], "covariance_matrix": UNIT}, *VECTOR),
    Values("NegativeBinomial", {"total_count": 3.0, "probs": 0.5}, (0.0, 3.0), (-1.0, 0.5, NAN)),
    Values("Normal", STANDARD, *REAL),
    Values("OneHotCategorical", {"probs": [0.5, 0.5]}, *CORNERS),
    Values("Pareto", {"scale": 1.0, "alpha": 2.0}, (1.0, 2.0), (0.5, -1.0, NAN)),
    Values("Poisson", {"rate": 1.0}, (0.0, 3.0), (-1.0, 0.5, NAN)),
    Values("RelaxedBernoulli", {"temperature": 0.5, "probs": 0.5}, (0.25,), (-0.25, 1.25, NAN)),
    Values("RelaxedOneHotCategorical", {"temperature": 0.5, "probs": [0.5, 0.5]}, *PARTS),
    Values("StudentT", {"df": 2.0}, *REAL),
    Values("Uniform", {"low": 0.0, "high": 1.0}, (0.0, 0.5, 1.0), (-0.25, 1.25, NAN)),
    Values("VonMises", {"loc": 0.0, "concentration": 1.0}, *REAL),
    Values("Weibull", {"scale": 1.0, "concentration": 2.0}, (0.5,), (0.0, -1.0, NAN)),
    Values("Wishart", {"df": 3.0, "covariance_matrix": UNIT}, *EVEN),
]  # fmt: skip


# ---- both ----------------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """A distribution, what it is given, and a value of which the density is asked, if any."""

    name: str
    options: Mapping[str, Any]
    value: Any = None


def _batches(of: Sequence[Any], beside: Any) -> Iterator[Any]:
    """List what is given alone, and in a batch beside what is legal."""
    for each in of:
        yield from (each, [each, beside], [beside, each])


def _cases(*, legal: bool) -> Iterator[Attempt]:
    for key, (given, bounds) in OPTIONS.items():
        name = key.split(",")[0]
        for option, (taken, wrong) in bounds.items():
            apart = next((each for each in OTHER_WAYS if option in each), (option,))
            told = {*apart, *(word for each in OTHER_WAYS for word in each[1:])}
            others = {word: all_[0][0] for word, all_ in bounds.items() if word not in told}
            for value in _batches(taken if legal else wrong, taken[0]):
                yield Attempt(name, {**given, **others, option: value})
    for name, options, inside, outside in VALUES:
        for value in _batches(inside if legal else outside, inside[0]):
            yield Attempt(name, options, value)


LEGAL, WRONG = ([*_cases(legal=legal)] for legal in (True, False))
NAMES = sorted({name for name, _, _ in LEGAL})

NEEDED = {"covariance_matrix", "precision_matrix"}
"""What is factorized, and has to be definite for that."""


def cases(name: str, *, legal: bool) -> list[Attempt]:
    """List what a distribution may be given and asked, or may not."""
    return [case for case in (LEGAL if legal else WRONG) if case.name == name]


def of_use(case: Attempt) -> bool:
    """Whether something can be computed of what is wrong."""
    if case.value is not None:
        return case.name != "Categorical"
    return not (NEEDED & {*case.options} or (case.name == "Wishart" and "df" in case.options))


def asked(be: Subject, case: Attempt, *, validated: bool) -> Any:
    """Make a distribution, and ask for the density of a value."""
    name, options, value = case
    found = made(be, name, options, validate_args=validated)
    return found if value is None else found.log_prob(be.tensor(np.array(value)))


def refused(be: Subject, case: Attempt) -> bool:
    """Whether a distribution that is not to validate is validated anyway."""
    try:
        asked(be, case, validated=False)
    except ValueError:
        return True
    return False


SHARED = (
    "ContinuousBernoulli", "Exponential", "Gamma", "GeneralizedPareto", "HalfCauchy",
    "HalfNormal", "InverseGamma", "Kumaraswamy", "LogNormal", "Pareto", "Uniform", "Weibull",
)  # fmt: skip
"""Distributions that tell the share below a value, and have values that they do not give."""


def beyond(name: str) -> list[Attempt]:
    """List numbers that a distribution does not give."""
    asked_of = [case for case in cases(name, legal=False) if case.value is not None]
    return [case for case in asked_of if np.ndim(case.value) == 0 and not np.isnan(case.value)]


def share(be: Subject, case: Attempt) -> float | None:
    """Ask for the share below a value, unless that is refused."""
    try:
        found = made(be, case.name, case.options, validate_args=True).cdf(
            be.tensor(np.array(case.value))
        )
    except ValueError:
        return None
    return float(be.numpy(found))
