"""Distributions whose logits lie far from zero have wrong densities, and diverge without end."""

from math import exp, expm1, isclose, log, log1p

import torch
from torch.distributions import (
    Bernoulli,
    Binomial,
    ContinuousBernoulli,
    Geometric,
    kl_divergence,
)

torch.set_default_dtype(torch.float64)
FAR, NEAR = torch.tensor(50.0), torch.tensor(-2.0)


def softened(z):
    """The logarithm of 1 + e ** z."""
    return max(z, 0.0) + log1p(exp(-abs(z)))


def spread(z):
    """The logarithm of the integral of e ** (z x) between 0 and 1."""
    return max(z, 0.0) + log(-expm1(-abs(z)) / abs(z))


heads = exp(-softened(2.0))
apart = heads * (softened(-50.0) - softened(2.0)) + (1 - heads) * (softened(50.0) - softened(-2.0))
middle = exp(-2.0) / expm1(-2.0) + 1.0 / 2

found = [
    ("density of Geometric", Geometric(logits=FAR).log_prob(torch.tensor(2.0)), -100.0),
    (
        "density of ContinuousBernoulli",
        ContinuousBernoulli(logits=FAR).log_prob(torch.tensor(0.25)),
        12.5 - spread(50.0),
    ),
    (
        "divergence of Bernoulli",
        kl_divergence(Bernoulli(logits=NEAR), Bernoulli(logits=FAR)),
        apart,
    ),
    (
        "divergence of Binomial",
        kl_divergence(Binomial(3, logits=NEAR), Binomial(3, logits=FAR)),
        3 * apart,
    ),
    (
        "divergence of Geometric",
        kl_divergence(Geometric(logits=NEAR), Geometric(logits=FAR)),
        apart / heads,
    ),
    (
        "divergence of ContinuousBernoulli",
        kl_divergence(ContinuousBernoulli(logits=NEAR), ContinuousBernoulli(logits=FAR)),
        -52.0 * middle - spread(-2.0) + spread(50.0),
    ),
]
print("expected", *(f"{name} {true:.10g}" for name, _, true in found), sep="\n  ")
print("got", *(f"{name} {value.item():.10g}" for name, value, _ in found), sep="\n  ")
raise SystemExit(not all(isclose(value, true, rel_tol=1e-9) for _, value, true in found))
