"""The gradient of a power by its base, differentiated by the exponent, is wrong at exponent zero.

The derivative of x ** y by x is y * x ** (y - 1), and that by y is 1 / x where y is 0. The rule
puts a constant zero where the exponent is zero, which has no derivative; differentiated first by
the exponent and then by the base, the same derivative is right.
"""

import sys

import torch

x, y = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (8.0, 0.0))
power = torch.pow(x, y)
by_x, by_y = torch.autograd.grad(power, (x, y), create_graph=True)
(expected,) = torch.autograd.grad(by_y, x, retain_graph=True)
(got,) = torch.autograd.grad(by_x, y, allow_unused=True)
found = 0.0 if got is None else got.item()
print("expected", expected.item(), "as in the other order")
print("got     ", found)
sys.exit(abs(found - expected.item()) > 1e-12)
