"""The second derivative of the log density of a binomial distribution is 0 where p is 1/2.

The logarithm is made of |logits|, of which the slope at 0 is a constant 0. The first derivative is
put right by half of a difference, the second one is not.
"""

import sys

import torch

logits = torch.zeros((), dtype=torch.float64, requires_grad=True)
n = 4
density = torch.distributions.Binomial(n, logits=logits).log_prob(torch.tensor(1.0).double())
(slope,) = torch.autograd.grad(density, logits, create_graph=True)
(got,) = torch.autograd.grad(slope, logits)
expected = -n * 0.25
print("expected", expected, "which is -n p (1 - p)")
print("got     ", got.item())
sys.exit(abs(got.item() - expected) > 1e-12)
