"""Densities, entropies, divergences and distribution functions of PyTorch, as functions.

Arguments are not validated: that reads values, which nothing that is mapped or traced may do.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torch import Tensor
from torch import distributions as d

from ..protocol.densities import DIVERGENCES, ENTROPIES, LOG_PROBS, SHARES

Maker = Callable[..., d.Distribution]


def made(kind: Any, *words: str, **named: Any) -> Maker:
    """Make distributions of a kind from parameters, which go by these words."""

    def make(*parameters: Any) -> d.Distribution:
        given = dict(zip(words, parameters, strict=True))
        found: d.Distribution = kind(**given, **named, validate_args=False)
        return found

    return make


def logistic(loc: Tensor, scale: Tensor) -> d.Distribution:
    """Make what the documentation of `TransformedDistribution` has for an example."""
    base = d.Uniform(loc.new_zeros(()), loc.new_ones(()), validate_args=False)
    steps = [d.SigmoidTransform().inv, d.AffineTransform(loc, scale)]
    return d.TransformedDistribution(base, steps, validate_args=False)


MAKERS: Mapping[str, Maker] = {
    "normal": made(d.Normal, "loc", "scale"),
    "log_normal": made(d.LogNormal, "loc", "scale"),
    "laplace": made(d.Laplace, "loc", "scale"),
    "cauchy": made(d.Cauchy, "loc", "scale"),
    "student_t": made(d.StudentT, "df", "loc", "scale"),
    "gamma": made(d.Gamma, "concentration", "rate"),
    "gamma_standard": made(d.Gamma, "concentration", rate=1.0),
    "inverse_gamma": made(d.InverseGamma, "concentration", "rate"),
    "chi2": made(d.Chi2, "df"),
    "beta": made(d.Beta, "concentration1", "concentration0"),
    "dirichlet": made(d.Dirichlet, "concentration"),
    "exponential": made(d.Exponential, "rate"),
    "half_normal": made(d.HalfNormal, "scale"),
    "half_cauchy": made(d.HalfCauchy, "scale"),
    "gumbel": made(d.Gumbel, "loc", "scale"),
    "logistic": logistic,
    "pareto": made(d.Pareto, "scale", "alpha"),
    "weibull": made(d.Weibull, "scale", "concentration"),
    "uniform": made(d.Uniform, "low", "high"),
    "von_mises": made(d.VonMises, "loc", "concentration"),
    "kumaraswamy": made(d.Kumaraswamy, "concentration1", "concentration0"),
    "continuous_bernoulli": made(d.ContinuousBernoulli, "probs"),
    "logit_relaxed_bernoulli": made(
        d.relaxed_bernoulli.LogitRelaxedBernoulli, "temperature", "logits"
    ),
    "poisson": made(d.Poisson, "rate"),
    "binomial": made(d.Binomial, "total_count", "probs"),
    "binomial_logits": made(d.Binomial, "total_count", "logits"),
    "negative_binomial": made(d.NegativeBinomial, "total_count", "probs"),
    "bernoulli": made(d.Bernoulli, "probs"),
    "bernoulli_logits": made(d.Bernoulli, "logits"),
    "geometric": made(d.Geometric, "probs"),
    "categorical_logits": made(d.Categorical, "logits"),
    "multivariate_normal": made(d.MultivariateNormal, "loc", "scale_tril"),
    "multivariate_normal_covariance": made(d.MultivariateNormal, "loc", "covariance_matrix"),
}
"""How distributions are made from their parameters."""

SCALED = {**MAKERS, "student_t": made(d.StudentT, "df", "scale", loc=0.0)}
"""The same, where the place of a distribution changes nothing."""


def log_prob(make: Maker, value: Tensor, *parameters: Any) -> Tensor:
    """Return the logarithm of the density of a value."""
    found: Tensor = make(*parameters).log_prob(value)
    return found


def entropy(make: Maker, *parameters: Any) -> Tensor:
    """Return the entropy."""
    found: Tensor = make(*parameters).entropy()
    return found


def divergence(make: Maker, *parameters: Any) -> Tensor:
    """Return the divergence of two distributions, which have as many parameters each."""
    half = len(parameters) // 2
    return d.kl_divergence(make(*parameters[:half]), make(*parameters[half:]))


def share(make: Maker, word: str, value: Tensor, *parameters: Any) -> Tensor:
    """Return what a distribution function makes of a value, or its inverse."""
    found: Tensor = getattr(make(*parameters), word)(value)
    return found


DENSITIES: Mapping[str, Callable[..., Any]] = {
    **{f"{name}_log_prob": partial(log_prob, MAKERS[name]) for name in LOG_PROBS},
    **{f"{name}_entropy": partial(entropy, SCALED[name]) for name in ENTROPIES},
    **{f"{name}_divergence": partial(divergence, MAKERS[name]) for name in DIVERGENCES},
    "bernoulli_logits_divergence_wide": partial(divergence, MAKERS["bernoulli_logits"]),
    **{
        name: partial(share, MAKERS[kind], word)
        for name, kind, word in ((name, *name.rsplit("_", 1)) for name in SHARES)
    },
}
"""All of them, under gradspec's words."""
