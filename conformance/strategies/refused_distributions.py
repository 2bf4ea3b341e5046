"""What distributions are made of, at its bounds and beyond, and values that they give or do not."""

from collections.abc import Callable, Iterator, Mapping, Sequence
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


class Case(NamedTuple):
    """A distribution, what it is given, and a value of which the density is asked, if any."""

    name: str
    options: Mapping[str, Any]
    value: Any = None


def _batches(of: Sequence[Any], beside: Any) -> Iterator[Any]:
    """List what is given alone, and in a batch beside what is legal."""
    for each in of:
        yield from (each, [each, beside], [beside, each])


def _cases(*, legal: bool) -> Iterator[Case]:
    for key, (given, bounds) in OPTIONS.items():
        name = key.split(",")[0]
        for option, (taken, wrong) in bounds.items():
            apart = next((each for each in OTHER_WAYS if option in each), (option,))
            told = {*apart, *(word for each in OTHER_WAYS for word in each[1:])}
            others = {word: all_[0][0] for word, all_ in bounds.items() if word not in told}
            for value in _batches(taken if legal else wrong, taken[0]):
                yield Case(name, {**given, **others, option: value})
    for name, options, inside, outside in VALUES:
        for value in _batches(inside if legal else outside, inside[0]):
            yield Case(name, options, value)


LEGAL, WRONG = ([*_cases(legal=legal)] for legal in (True, False))
NAMES = sorted({name for name, _, _ in LEGAL})

NEEDED = {"covariance_matrix", "precision_matrix"}
"""What is factorized, and has to be definite for that."""


def cases(name: str, *, legal: bool) -> list[Case]:
    """List what a distribution may be given and asked, or may not."""
    return [case for case in (LEGAL if legal else WRONG) if case.name == name]


def of_use(case: Case) -> bool:
    """Whether something can be computed of what is wrong."""
    if case.value is not None:
        return case.name != "Categorical"
    return not (NEEDED & {*case.options} or (case.name == "Wishart" and "df" in case.options))


def asked(be: Subject, case: Case, *, validated: bool) -> Any:
    """Make a distribution, and ask for the density of a value."""
    name, options, value = case
    found = made(be, name, options, validate_args=validated)
    return found if value is None else found.log_prob(be.tensor(np.array(value)))


def refused(be: Subject, case: Case) -> bool:
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


def beyond(name: str) -> list[Case]:
    """List numbers that a distribution does not give."""
    asked_of = [case for case in cases(name, legal=False) if case.value is not None]
    return [case for case in asked_of if np.ndim(case.value) == 0 and not np.isnan(case.value)]


def share(be: Subject, case: Case) -> float | None:
    """Ask for the share below a value, unless that is refused."""
    try:
        found = made(be, case.name, case.options, validate_args=True).cdf(
            be.tensor(np.array(case.value))
        )
    except ValueError:
        return None
    return float(be.numpy(found))


# ---- shapes --------------------------------------------------------------------------------------

Made = Callable[["Parts"], Any]


CHECKED = {"validate_args": True}


class Parts:
    """What distributions are put together of."""

    def __init__(self, be: Subject) -> None:
        self.be = be

    def ones(self, *shape: int) -> Any:
        """Make a tensor of a shape."""
        return self.be.tensor(np.ones(shape))

    def normal(self, *shape: int) -> Any:
        """Make a batch of normal distributions."""
        return self.by("Normal", shape, shape)

    def normals(self, batch: tuple[int, ...], event: int) -> Any:
        """Make a batch of distributions whose events are vectors."""
        return self.be.distribution("Independent", self.normal(*batch, event), 1, **CHECKED)

    def mixed(self, shares: tuple[int, ...], parts: Any) -> Any:
        """Mix parts of one family."""
        chosen = self.be.distribution("Categorical", self.ones(*shares))
        return self.be.distribution("MixtureSameFamily", chosen, parts, **CHECKED)

    def by(self, name: str, *sizes: tuple[int, ...], **named: tuple[int, ...]) -> Any:
        """Make a distribution of ones of the sizes that are told."""
        told = {word: self.ones(*shape) for word, shape in named.items()}
        return self.be.distribution(name, *(self.ones(*s) for s in sizes), **told, **CHECKED)

    def onto(self, base: Any, name: str, *told: Any) -> Any:
        """Transform a distribution."""
        return self.be.distribution("TransformedDistribution", base, self.be.bijection(name, *told))


def _by(name: str, *sizes: tuple[int, ...], **named: tuple[int, ...]) -> Made:
    return lambda of: of.by(name, *sizes, **named)


SHAPES: Mapping[str, tuple[Sequence[Made], Sequence[Made]]] = {
    **{
        name: (
            [_by(name, (2, 1), (3,))],
            [_by(name, (2,), (3,))],
        )
        for name in (
            "Beta", "Cauchy", "FisherSnedecor", "Gamma", "Gumbel", "InverseGamma", "Kumaraswamy",
            "Laplace", "LogNormal", "Normal", "Pareto", "VonMises", "Weibull",
        )
    },
    **{
        name: (
            [_by(name, probs=(3,)),
             _by(name, logits=(3,))],
            [_by(name),
             _by(name, probs=(3,), logits=(3,))],
        )
        for name in (
            "Bernoulli", "Binomial", "Categorical", "ContinuousBernoulli", "Geometric",
            "Multinomial", "OneHotCategorical",
        )
    },
    "NegativeBinomial": (
        [_by("NegativeBinomial", (3,), logits=(2, 1))],
        [_by("NegativeBinomial", (3,)),
         _by("NegativeBinomial", (3,), probs=(3,), logits=(3,)),
         _by("NegativeBinomial", (3,), logits=(2,))],
    ),
    "axes of choices": (
        [_by("Categorical", (1,)), _by("Dirichlet", (1,))],
        [_by("Categorical", ()), _by("Categorical", logits=()),
         _by("Dirichlet", ())],
    ),
    "LKJCholesky": (
        [lambda of: of.be.distribution("LKJCholesky", 2, of.ones(3))],
        [lambda of: of.be.distribution("LKJCholesky", 1, of.ones(3))],
    ),
    "MultivariateNormal": (
        [_by("MultivariateNormal", (4, 1), **{word: (1, 1)})
         for word in AROUND if word != "loc"],
        [_by("MultivariateNormal", (1,)),
         _by("MultivariateNormal", (), scale_tril=(1, 1)),
         _by("MultivariateNormal", (1,), scale_tril=(1, 1), precision_matrix=(1, 1)),
         _by("MultivariateNormal", (3, 1), scale_tril=(2, 1, 1)),
         *(_by("MultivariateNormal", (1,), **{word: (1,)})
           for word in AROUND if word != "loc")],
    ),
    "LowRankMultivariateNormal": (
        [_by("LowRankMultivariateNormal", (2,), (2, 3), (2,)),
         _by("LowRankMultivariateNormal", (4, 2), (2, 1), (2,))],
        [_by("LowRankMultivariateNormal", (), (2, 3), (2,)),
         _by("LowRankMultivariateNormal", (2,), (2,), (2,)),
         _by("LowRankMultivariateNormal", (2,), (3, 1), (2,)),
         _by("LowRankMultivariateNormal", (2,), (2, 1), (3,)),
         _by("LowRankMultivariateNormal", (4, 2), (3, 2, 1), (2,))],
    ),
    "expand": (
        [lambda of: of.normal(3, 1).expand((2, 3, 4)), lambda of: of.normals((1,), 2).expand((5,)),
         lambda of: of.onto(of.normal(1), "ExpTransform").expand((3,))],
        [lambda of: of.normal(3).expand(()), lambda of: of.normal(3).expand((2,)),
         lambda of: of.normals((3,), 2).expand((2,)),
         lambda of: of.onto(of.normal(3), "ExpTransform").expand((2,)),
         lambda of: of.mixed((2, 3), of.normal(2, 3)).expand((3,))],
    ),
    "log_prob": (
        [lambda of: of.normal(3).log_prob(of.ones(2, 1)),
         lambda of: of.normals((3,), 2).log_prob(of.ones(2))],
        [lambda of: of.normal(3).log_prob(of.ones(2)),
         lambda of: of.normals((3,), 2).log_prob(of.ones(3)),
         lambda of: of.normals((3,), 2).log_prob(of.ones(2, 2)),
         lambda of: of.mixed((2, 3), of.normal(2, 3)).log_prob(of.ones(3))],
    ),
    "Independent": (
        [lambda of: of.be.distribution("Independent", of.normal(3), 1),
         lambda of: of.be.distribution("Independent", of.normals((3,), 2), 1)],
        [lambda of: of.be.distribution("Independent", of.normal(3), 2),
         lambda of: of.be.distribution("Independent", of.normals((3,), 2), 2)],
    ),
    "MixtureSameFamily": (
        [lambda of: of.mixed((3,), of.normal(3)), lambda of: of.mixed((2, 3), of.normal(2, 3)),
         lambda of: of.mixed((1, 3), of.normal(2, 3)), lambda of: of.mixed((3,), of.normal(2, 3)),
         lambda of: of.mixed((2, 3), of.normals((2, 3), 4))],
        [lambda of: of.mixed((3,), of.normal(2)), lambda of: of.mixed((2, 3), of.normal(4, 3)),
         lambda of: of.mixed((3,), of.normals((2,), 3)),
         lambda of: of.be.distribution("MixtureSameFamily", of.normal(3), of.normal(3)),
         lambda of: of.be.distribution(
             "MixtureSameFamily", of.be.distribution("Categorical", of.ones(3)), of.ones(3))],
    ),
    "TransformedDistribution": (
        [lambda of: of.onto(of.normal(3), "StickBreakingTransform"),
         lambda of: of.onto(of.normal(2, 6), "ReshapeTransform", (6,), (2, 3))],
        [lambda of: of.onto(of.normal(), "StickBreakingTransform"),
         lambda of: of.onto(of.normal(4), "ReshapeTransform", (6,), (2, 3)),
         lambda of: of.onto(of.normal(4), "CorrCholeskyTransform"),
         lambda of: of.be.distribution("TransformedDistribution", of.normal(3), [3.0]),
         lambda of: of.be.distribution("TransformedDistribution", of.normal(3), 3.0)],
    ),
    "divergence": (
        [lambda of: of.be.divergence(of.normal(3), of.normal(2, 1)),
         lambda of: of.be.divergence(of.normals((3,), 2), of.normals((1,), 2))],
        [lambda of: of.be.divergence(of.normal(3), of.by("Cauchy", (3,), (3,))),
         lambda of: of.be.divergence(of.normals((2,), 3), of.be.distribution(
             "Independent", of.normal(2, 3), 2)),
         lambda of: of.be.divergence(
             of.onto(of.normal(3), "ExpTransform"), of.onto(of.normal(3), "TanhTransform")),
         lambda of: of.be.divergence(
             *(of.by("LowRankMultivariateNormal", (n,), (n, 1), (n,)) for n in (1, 2)))],
    ),
}  # fmt: skip
"""Distributions whose parts fit to each other, and such whose parts do not."""


# ---- transforms ----------------------------------------------------------------------------------


def _sizes(name: str, told: Sequence[Any], legal: Any, wrong: Any) -> tuple[list[Made], list[Made]]:
    """Ask a transform for the shapes that it makes, and that it was made of."""

    def asked(way: str, shape: tuple[int, ...]) -> Made:
        return lambda of: getattr(of.be.bijection(name, *told), way)(of.ones(*shape).shape)

    ways = ("forward_shape", "inverse_shape")
    return tuple(
        [asked(way, shape) for way, shapes in zip(ways, each, strict=True) for shape in shapes]
        for each in (legal, wrong)
    )  # type: ignore[return-value]


def _joined(name: str, axis: int, right: tuple[int, ...], *wrong: tuple[int, ...]) -> Any:
    """Apply a transform of two parts, there and back, and ask how much it stretches."""

    def made(of: Parts) -> Any:
        return of.be.bijection(name, [of.be.bijection("ExpTransform")] * 2, axis)

    def stretch(x: tuple[int, ...], y: tuple[int, ...]) -> Made:
        return lambda of: made(of).log_abs_det_jacobian(of.ones(*x), of.ones(*y))

    def there(x: tuple[int, ...]) -> Made:
        return lambda of: made(of)(of.ones(*x))

    def back(x: tuple[int, ...]) -> Made:
        return lambda of: made(of).inv(of.ones(*x))

    legal = [there(right), back(right), stretch(right, right)]
    return legal, [
        each
        for shape in wrong
        for each in (there(shape), back(shape), stretch(shape, right), stretch(right, shape))
    ]


def _constraint(of: Parts, name: str, *told: Any) -> Any:
    return of.be.lookup(f"torch.distributions.constraints:{name}")(*told)


TRANSFORMS: Mapping[str, tuple[Sequence[Made], Sequence[Made]]] = {
    "ReshapeTransform": _sizes(
        "ReshapeTransform", ((6,), (2, 3)),
        (((6,), (4, 6)), ((2, 3), (4, 2, 3))), (((), (3,), (6, 1)), ((), (3,), (3, 2), (6,))),
    ),
    "CorrCholeskyTransform": _sizes(
        "CorrCholeskyTransform", (),
        (((1,), (3,), (4, 6)), ((2, 2), (5, 3, 3))), (((), (2,), (4,)), ((), (3,), (3, 2))),
    ),
    "SoftmaxTransform": _sizes(
        "SoftmaxTransform", (), (((1,), (2, 3)), ((1,), (2, 3))), (((),), ((),))
    ),
    "StickBreakingTransform": _sizes(
        "StickBreakingTransform", (), (((1,), (2, 3)), ((2,), (2, 3))), (((),), ((),))
    ),
    "StackTransform": _joined("StackTransform", 1, (3, 2), (2,), (3, 3), (3, 1)),
    "StackTransform, from behind": _joined("StackTransform", -2, (2, 3), (2,), (3, 3)),
    "CatTransform": _joined("CatTransform", 1, (3, 2), (2,), (3, 3), (3, 1)),
    "CatTransform, from behind": _joined("CatTransform", -2, (2, 3), (2,), (3, 3)),
    "made": (
        [lambda of: of.be.bijection("ReshapeTransform", (6,), (3, 2)),
         lambda of: of.be.bijection("ExpTransform", 1),
         lambda of: of.be.bijection("CatTransform", [of.be.bijection("ExpTransform")], 0, [3]),
         lambda of: _constraint(of, "independent", _constraint(of, "greater_than", 0.0), 0)],
        [lambda of: of.be.bijection("ReshapeTransform", (6,), (2, 2)),
         lambda of: of.be.bijection("ExpTransform", 2),
         lambda of: of.be.bijection("CatTransform", [of.be.bijection("ExpTransform")], 0, [3, 1]),
         lambda of: of.be.bijection("CatTransform", [3.0], 0),
         lambda of: of.be.bijection("StackTransform", [3.0], 0),
         lambda of: _constraint(of, "independent", _constraint(of, "greater_than", 0.0), -1),
         lambda of: _constraint(of, "independent", _constraint(of, "greater_than", 0.0), 1.0),
         lambda of: _constraint(of, "independent", 0.0, 1),
         lambda of: _constraint(of, "cat", [3.0], 0),
         lambda of: _constraint(of, "cat", [_constraint(of, "greater_than", 0.0)], 0, [1, 2]),
         lambda of: _constraint(of, "stack", [3.0], 0)],
    ),
}  # fmt: skip
"""What is asked of transforms and constraints that fits, and what does not."""
