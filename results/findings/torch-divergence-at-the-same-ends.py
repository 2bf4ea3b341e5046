"""The divergence of a continuous Bernoulli from a uniform distribution over [0, 1] is infinite.

Both have a density between 0 and 1, and so the divergence is minus the entropy. So is that of a
uniform distribution that ends where the other does, at 0 or at 1. That of a Beta is right.
"""

import sys

import torch
from torch.distributions import ContinuousBernoulli, Uniform, kl_divergence

coin, square = ContinuousBernoulli(torch.tensor(0.25)), Uniform(0.0, 1.0)
got = [kl_divergence(coin, square), kl_divergence(square, coin)]
x = (torch.arange(100_000) + 0.5) / 100_000
expected = [-coin.entropy(), -coin.log_prob(x).mean()]
print("expected", [round(each.item(), 4) for each in expected])
print("got     ", [each.item() for each in got])
sys.exit(not all(torch.isfinite(each) for each in got))
