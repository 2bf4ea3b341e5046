"""The gradient of log_ndtr far below zero is 0 or infinite, where it is about -x.

The rule takes e to the sum of the result and x ** 2 / 2, which cancel: no digit of it is left.
Searched for in the issues of the library on 2026-11-22: not found.
"""

import sys

import torch

x = torch.tensor(-(2.0**20), requires_grad=True)
expected = 2.0**20
(got,) = torch.autograd.grad(torch.special.log_ndtr(x), x)
print("expected", expected)
print("got     ", got.item())
sys.exit(abs(got.item() - expected) > 1e-6 * expected)
