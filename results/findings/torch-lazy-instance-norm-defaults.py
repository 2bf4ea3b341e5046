"""LazyInstanceNorm1d() has parameters and statistics, which InstanceNorm1d(3) does not have."""

import sys

import torch

layer = torch.nn.LazyInstanceNorm1d()
layer(torch.ones(2, 3, 4))
expected, got = list(torch.nn.InstanceNorm1d(3).state_dict()), list(layer.state_dict())
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
