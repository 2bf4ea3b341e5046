"""The gradient of logcumsumexp loses digits where the cotangent is small or large.

The backward pass takes the logarithm of the cotangent, adds, and takes the exponential again: an
error of a rounding of the logarithm is multiplied by how large that is. Searched in pytorch/pytorch
on 2026-11-26: nothing of this.
"""

import sys

import torch

x = torch.zeros(1, requires_grad=True)
w = torch.tensor([2.0**-60])
(gradient,) = torch.autograd.grad(x.logcumsumexp(0), x, w)
print("expected", w.item())
print("got     ", gradient.item())
sys.exit(abs(gradient.item() / w.item() - 1) > 1e-6)
