"""The gradient of addcdiv by its divisor is infinite where the square of the divisor underflows.

The derivative of y / z by z is -y / z / z, an ordinary number for small y and z; the rule computes
y / (z * z). That of div, which is the same derivative, is right.
"""

import sys

import torch

z = torch.tensor(2.0**-100, requires_grad=True)
x, y = torch.zeros(()), torch.tensor(2.0**-100)
(expected,) = torch.autograd.grad(y / z, z)
(got,) = torch.autograd.grad(torch.addcdiv(x, y, z), z)
print("expected", expected.item(), "as of div")
print("got     ", got.item())
sys.exit(not torch.isfinite(got))
