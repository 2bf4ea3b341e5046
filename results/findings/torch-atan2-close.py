"""The gradient of atan2 is infinite where the squares of its arguments underflow, in float32.

At y = x its derivative by y is 1 / (2 x), a number of the dtype; the rule divides by x * x + y * y.
"""

import sys

import torch

y, x = (torch.tensor(2.0**-67, requires_grad=True) for _ in range(2))
expected = 2.0**66
(got,) = torch.autograd.grad(torch.atan2(y, x), y)
print("expected", expected)
print("got     ", got.item())
sys.exit(abs(got.item() - expected) > 1e-6 * expected)
