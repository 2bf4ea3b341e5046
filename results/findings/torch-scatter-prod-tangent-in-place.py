"""In forward mode a product made by scatter_reduce_ in place fails with an internal error."""

import sys

import torch

index = torch.tensor([0, 0, 1])
x, src = torch.tensor([2.0, 3.0, 5.0]), torch.tensor([7.0, 11.0, 13.0])
expected = [77.0, 13.0, 1.0]
try:
    _, tangent = torch.func.jvp(
        lambda x: x.clone().scatter_reduce_(0, index, src, "prod"), (x,), (torch.ones(3),)
    )
    got = tangent.tolist()
except RuntimeError as error:
    got = str(error).splitlines()[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
