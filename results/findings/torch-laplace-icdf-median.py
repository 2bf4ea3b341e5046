"""The gradient of Laplace.icdf is 0 at 1/2, where it is twice the scale on both sides.

The inverse is made of the sign and the magnitude of p - 1/2, which have no slope at 0.
"""

import sys

import torch

p = torch.tensor([0.5 - 1e-9, 0.5, 0.5 + 1e-9], dtype=torch.float64, requires_grad=True)
x = torch.distributions.Laplace(0.0, torch.ones((), dtype=torch.float64)).icdf(p)
(got,) = torch.autograd.grad(x.sum(), p)
print("expected 2.0")
print("got     ", got[1].item(), "between", got[0].item(), "and", got[2].item())
sys.exit(abs(got[1].item() - 2) > 1e-6)
