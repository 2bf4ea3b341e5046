"""The gradient of sinc at 0 is 0, but cannot be differentiated: it gives nan.

The second derivative of sin(pi x) / (pi x) at 0 is -pi ** 2 / 3.
"""

import math
import sys

import torch

x = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
(slope,) = torch.autograd.grad(torch.sinc(x), x, create_graph=True)
(bend,) = torch.autograd.grad(slope, x)
expected, got = -(math.pi**2) / 3, bend.item()
print("expected", expected)
print("got     ", got)
sys.exit(not abs(got - expected) < 1e-12)
