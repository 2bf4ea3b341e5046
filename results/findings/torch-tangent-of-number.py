"""The tangent of a tensor without axes, of float32, is of float64 beside a number of Python."""

import sys

import torch

x = torch.tensor(2.0)
value, tangent = torch.func.jvp(lambda x: 0.5 * x, (x,), (x,))
print("expected", value.dtype)
print("got     ", tangent.dtype)
sys.exit(tangent.dtype != value.dtype)
