"""The gradient of asinh is zero from 2 ** 64 on, in float32, where it is about 1 / x.

The rule takes the square of the argument, which overflows. The same holds for acosh.
"""

import sys

import torch

x = torch.tensor(2.0**100, requires_grad=True)
expected = 2.0**-100
(got,) = torch.autograd.grad(torch.asinh(x), x)
print("expected", expected)
print("got     ", got.item())
sys.exit(abs(got.item() - expected) > 1e-6 * expected)
