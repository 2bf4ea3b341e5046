"""The log density of a von Mises distribution has eight digits in float64.

The logarithm of the Bessel function is that of a polynomial with coefficients of eight digits,
where torch.special.i0e has them all.
"""

import math
import sys

import torch

k = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
zero = torch.zeros((), dtype=torch.float64)
value = torch.distributions.VonMises(zero, k).log_prob(zero)
(got,) = torch.autograd.grad(value, k)
expected = -torch.log(torch.special.i0e(k)) - math.log(2 * math.pi)
slope = 1 - (torch.special.i1e(k) / torch.special.i0e(k)).item()
print("expected", expected.item(), "and the gradient", slope)
print("got     ", value.item(), "and the gradient", got.item())
sys.exit(abs(value.item() - expected.item()) > 1e-12 or abs(got.item() - slope) > 1e-12)
