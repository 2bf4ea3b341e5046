"""The second derivative of x ** 0 at zero is nan where the exponent is a tensor.

The gradient by the base is chosen by `where`, zero where the exponent is zero; the branch that is not
chosen divides by zero once more when it is differentiated, and zero times infinity is nan. Searched on 2026-11-30; the nearest is the derivative by the exponent,
https://github.com/pytorch/pytorch/issues/95180.
"""

import sys

import torch

x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
(slope,) = torch.autograd.grad((x ** torch.tensor([0, 0])).sum(), x, create_graph=True)
expected, got = [0.0, 0.0], torch.autograd.grad(slope.sum(), x)[0].tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
