"""In forward mode a product made by scatter_reduce has the derivative 0."""

import sys

import torch

index = torch.tensor([0, 0, 1])
x, src = torch.tensor([2.0, 3.0, 5.0]), torch.tensor([7.0, 11.0, 13.0])
_, tangent = torch.func.jvp(
    lambda x: x.scatter_reduce(0, index, src, "prod"), (x,), (torch.ones(3),)
)
expected, got = [77.0, 13.0, 1.0], tangent.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
