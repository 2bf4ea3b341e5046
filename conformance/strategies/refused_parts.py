"""Parts that distributions and transforms are put together of, and such as do not fit."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from .refused_distributions import AROUND

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

    def both(each: Any) -> list[Made]:
        ways = zip(("forward_shape", "inverse_shape"), each, strict=True)
        return [asked(way, shape) for way, shapes in ways for shape in shapes]

    return both(legal), both(wrong)


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
