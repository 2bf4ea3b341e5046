"""Counts that are certain diverge from others by no number, or by an infinite one, or one that is not."""

from math import inf, isclose, log

import torch
from torch.distributions import Binomial, Geometric, Poisson, kl_divergence

torch.set_default_dtype(torch.float64)
NONE, HALF, ALL = torch.tensor(0.0), torch.tensor(0.5), torch.tensor(1.0)

found = [
    # Three successes, which the other has in one of eight cases.
    (
        "Binomial",
        kl_divergence(Binomial(3, probs=ALL), Binomial(3, probs=HALF)),
        3 * log(2.0),
    ),
    # What the other never gives.
    ("Binomial", kl_divergence(Binomial(3, probs=HALF), Binomial(3, probs=NONE)), inf),
    ("Geometric", kl_divergence(Geometric(ALL), Geometric(ALL)), 0.0),
    # None, of which the other has a chance of exp(-0.5).
    ("Poisson", kl_divergence(Poisson(NONE), Poisson(HALF)), 0.5),
]
print("expected", *(f"{name} {true:.10g}" for name, _, true in found), sep="\n  ")
print("got", *(f"{name} {value.item():.10g}" for name, value, _ in found), sep="\n  ")
raise SystemExit(not all(isclose(value, true, rel_tol=1e-9) for _, value, true in found))
