"""The gradient of ldexp has the digits of the exponent, not of the number that it is taken for.

Beside an exponent of float32 the value has all digits of float64. So has the gradient of a product
with the same power.
"""

import sys

import torch

x = torch.tensor(0.25, dtype=torch.float64, requires_grad=True)
exponent = torch.tensor(0.5, dtype=torch.float32)
expected = 2**0.5
(gradient,) = torch.autograd.grad(torch.ldexp(x, exponent), x)
got = gradient.item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-12)
