"""The tangent of renorm is of float32 where its argument is of 16 bits."""

import sys

import torch

x = torch.tensor([[3.0, 4.0]], dtype=torch.float16)
_, tangent = torch.func.jvp(lambda z: torch.renorm(z, 2, 0, 1.0), (x,), (torch.ones_like(x),))
print("expected", x.dtype)
print("got     ", tangent.dtype)
sys.exit(tangent.dtype != x.dtype)
