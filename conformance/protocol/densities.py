"""Densities, and what else distributions are asked for, as functions of values and parameters.

What a word begins with is the distribution. The value comes first, then the parameters of PyTorch's
class of that name in its order, each a tensor that broadcasts with the others.
"""

LOG_PROBS = {
    "normal": "loc, scale",
    "log_normal": "loc, scale: of the logarithm",
    "laplace": "loc, scale",
    "cauchy": "loc, scale",
    "student_t": "df, loc, scale",
    "gamma": "concentration, rate",
    "gamma_standard": "concentration, of rate 1",
    "inverse_gamma": "concentration, rate",
    "chi2": "df",
    "beta": "a, b: its concentrations",
    "dirichlet": "concentration: the last axis is that of shares, which add up to 1",
    "exponential": "rate",
    "half_normal": "scale",
    "half_cauchy": "scale",
    "gumbel": "loc, scale",
    "logistic": "loc, scale",
    "pareto": "scale, alpha: of values above scale",
    "weibull": "scale, concentration",
    "uniform": "low, high: of values between them",
    "von_mises": "loc, concentration",
    "kumaraswamy": "a, b: its concentrations",
    "continuous_bernoulli": "probs",
    "logit_relaxed_bernoulli": "temperature, logits",
    "poisson": "rate",
    "binomial": "total_count, a number; probs",
    "binomial_logits": "total_count, a number; logits",
    "negative_binomial": "total_count, probs: of successes before so many failures",
    "bernoulli": "probs",
    "bernoulli_logits": "logits",
    "geometric": "probs: of failures before the first success",
    "categorical_logits": "logits, along the last axis, which the values index",
    "multivariate_normal": "loc, scale_tril: the last axis is that of vectors",
    "multivariate_normal_covariance": "loc, covariance_matrix: the last axis is that of vectors",
}
"""Distributions, and what their densities take beside a value."""

ENTROPIES = {
    "gamma": "concentration, rate",
    "beta": "a, b: its concentrations",
    "dirichlet": "concentration, along the last axis",
    "student_t": "df, scale; loc is 0",
    "weibull": "scale, concentration",
    "bernoulli_logits": "logits",
    "categorical_logits": "logits, along the last axis",
}
"""Distributions, and of which parameters their entropies are functions."""

DIVERGENCES = {
    "normal": "loc, scale",
    "laplace": "loc, scale",
    "gamma": "concentration, rate",
    "beta": "a, b",
    "dirichlet": "concentration, along the last axis",
    "bernoulli_logits": "logits",
    "categorical_logits": "logits, along the last axis",
}
"""Distributions, and of which parameters, of one and then of another, divergences are functions."""

SHARES = {
    "normal_cdf": "normal_cdf(x, loc, scale): the probability of values up to x",
    "normal_icdf": "normal_icdf(p, loc, scale): the x with that probability",
    "laplace_cdf": "laplace_cdf(x, loc, scale)",
    "cauchy_cdf": "cauchy_cdf(x, loc, scale)",
    "cauchy_icdf": "cauchy_icdf(p, loc, scale)",
    "gumbel_cdf": "gumbel_cdf(x, loc, scale)",
    "exponential_cdf": "exponential_cdf(x, rate)",
    "weibull_cdf": "weibull_cdf(x, scale, concentration)",
    "weibull_icdf": "weibull_icdf(p, scale, concentration)",
}
"""Distribution functions, and their inverses."""

DENSITIES = {
    **{
        f"{name}_log_prob": f"the logarithm of the density of x, {rest}"
        for name, rest in LOG_PROBS.items()
    },
    **{f"{name}_entropy": f"the entropy, of {rest}" for name, rest in ENTROPIES.items()},
    **{
        f"{name}_divergence": f"the divergence of Kullback and Leibler: {rest}, twice"
        for name, rest in DIVERGENCES.items()
    },
    "bernoulli_logits_divergence_wide": "the same, of logits that broadcast",
    **SHARES,
}
"""Every one of these words, and what it means."""
