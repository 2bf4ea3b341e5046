"""A write that PyTorch takes makes backward fail, if the base of the written view was expanded.

The row that is written has no entry twice, so the write is carried out and recorded. Its node lays
the gradient out as the base lies in memory, where all rows are one, and then may not fill it.
"""

import sys

import torch

w = torch.tensor([3.0, 4.0], requires_grad=True)
base = torch.zeros(2).expand(3, 2).detach()
base[0].copy_(w)
expected = "a gradient"
try:
    base[0].sum().backward()
    got = "a gradient"
except RuntimeError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
