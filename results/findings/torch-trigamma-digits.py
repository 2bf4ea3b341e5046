"""The trigamma function is off in the tenth digit in float64, and with it derivatives of digamma.

trigamma(1) is pi ** 2 / 6.
"""

import math
import sys

import torch

x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
torch.digamma(x).backward()
expected, got = math.pi**2 / 6, x.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14)
