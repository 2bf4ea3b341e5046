"""The gradient of hardsigmoid is 1/6 rounded to float32, in float64 as well."""

import sys

import torch

x = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
torch.nn.functional.hardsigmoid(x).backward()
expected, got = 1 / 6, x.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-15)
