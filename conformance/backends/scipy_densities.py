"""Densities and distribution functions by the names of `scipy.stats`, under gradspec's words.

Where SciPy counts or scales otherwise than PyTorch, arguments are what its formula takes.
"""

from collections.abc import Callable
from typing import Any


def scipy_densities(stats: Any, words: str) -> dict[str, Callable[..., Any]]:
    """Return what a module such as `jax.scipy.stats` has of `words`; older ones have less."""
    forms: dict[str, Callable[[], Callable[..., Any]]] = {
        "normal_log_prob": lambda: stats.norm.logpdf,
        "laplace_log_prob": lambda: stats.laplace.logpdf,
        "cauchy_log_prob": lambda: stats.cauchy.logpdf,
        "student_t_log_prob": lambda: stats.t.logpdf,
        "gamma_log_prob": lambda: lambda x, a, rate: stats.gamma.logpdf(x, a, 0.0, 1 / rate),
        "gamma_standard_log_prob": lambda: stats.gamma.logpdf,
        "chi2_log_prob": lambda: stats.chi2.logpdf,
        "beta_log_prob": lambda: stats.beta.logpdf,
        "dirichlet_log_prob": lambda: stats.dirichlet.logpdf,
        "exponential_log_prob": lambda: lambda x, rate: stats.expon.logpdf(x, 0.0, 1 / rate),
        "gumbel_log_prob": lambda: stats.gumbel_r.logpdf,
        "logistic_log_prob": lambda: stats.logistic.logpdf,
        "pareto_log_prob": lambda: lambda x, scale, a: stats.pareto.logpdf(x, a, 0.0, scale),
        "uniform_log_prob": lambda: lambda x, low, high: stats.uniform.logpdf(x, low, high - low),
        "von_mises_log_prob": lambda: lambda x, loc, k: stats.vonmises.logpdf(x - loc, k),
        "poisson_log_prob": lambda: stats.poisson.logpmf,
        "binomial_log_prob": lambda: stats.binom.logpmf,
        "negative_binomial_log_prob": lambda: lambda k, n, p: stats.nbinom.logpmf(k, n, 1 - p),
        "bernoulli_log_prob": lambda: stats.bernoulli.logpmf,
        "geometric_log_prob": lambda: lambda k, p: stats.geom.logpmf(k + 1, p),
        "multivariate_normal_covariance_log_prob": lambda: stats.multivariate_normal.logpdf,
        "normal_cdf": lambda: stats.norm.cdf,
        "normal_icdf": lambda: stats.norm.ppf,
        "laplace_cdf": lambda: stats.laplace.cdf,
        "cauchy_cdf": lambda: stats.cauchy.cdf,
        "cauchy_icdf": lambda: stats.cauchy.ppf,
        "gumbel_cdf": lambda: stats.gumbel_r.cdf,
        "exponential_cdf": lambda: lambda x, rate: stats.expon.cdf(x, 0.0, 1 / rate),
    }
    # What is missing would raise here, or within a call, as if the library had failed it.
    later = {
        "gumbel_cdf": hasattr(stats, "gumbel_r"),
        "gumbel_log_prob": hasattr(stats, "gumbel_r"),
        "exponential_cdf": hasattr(getattr(stats, "expon", None), "cdf"),
    }
    return {word: forms[word]() for word in words.split() if later.get(word, True)}
