"""The gradient of atan2 beside float32: squares are taken in float32, and half of the digits lost.

One operand is of float32, the other and the result are of float64: so is the other's gradient, but
the square of the narrow operand is rounded to float32 on the way to it.
Searched for in the issues of the library on 2026-11-25: nothing was found; issue 193040 and pull
request 193130 speak of float16 alone.
"""

import sys

import torch

# Its square is none of the numbers of float32.
narrow = torch.tensor(1 + 2.0**-12 + 2.0**-11, dtype=torch.float32)
wide = torch.tensor(0.75, dtype=torch.float64, requires_grad=True)
(got,) = torch.autograd.grad(torch.atan2(narrow.reshape(1), wide.reshape(1)), wide)
y, x = narrow.item(), wide.item()
expected = -y / (x * x + y * y)
print("expected", expected)
print("got     ", got.item())
sys.exit(abs(got.item() - expected) > 1e-12)
