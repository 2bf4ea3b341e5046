"""The gradient of a generalized Pareto density by a concentration of 0 is lost.

The density is that of an exponential distribution there, but it still moves with the concentration:
by half of the squared value less the value, as finite differences say.
"""

import sys

import torch
from torch.distributions import GeneralizedPareto


def density(concentration):
    """Return the density of 3, as its logarithm."""
    zero, one = torch.zeros(()), torch.ones(())
    return GeneralizedPareto(zero, one, concentration).log_prob(torch.tensor(3.0))


c = torch.zeros((), requires_grad=True)
(got,) = torch.autograd.grad(density(c), c)
step = 0.01
expected = (density(torch.tensor(step)) - density(torch.tensor(-step))) / (2 * step)
print("expected", 3.0**2 / 2 - 3, "by differences", expected.item())
print("got     ", got.item())
sys.exit(abs(got.item() - 1.5) > 0.01)
