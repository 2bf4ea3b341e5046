"""The gradient of logsumexp does not add up to 1 far out: of four equal entries each has all of it.

What is added to all entries is added to the result, whose gradient therefore adds up to 1. The rule
takes e to what an entry is below the result, and beside a large entry the logarithm of 4 is lost.
Forward mode divides by the sum, and is right. Searched for in the issues of the library on
2026-11-22: not found. Stan had it: https://github.com/stan-dev/math/issues/1679
"""

import sys

import torch

x = torch.full((4,), 2.0**60, requires_grad=True)
expected = [0.25] * 4
(gradient,) = torch.autograd.grad(torch.logsumexp(x, 0), x)
got = gradient.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
