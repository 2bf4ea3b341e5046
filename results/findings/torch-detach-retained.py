"""detach_ of a tensor that retains its gradient: a write to it fails by an internal assertion.

Without retain_grad the same program runs. Searched for in the issues of the library on 2026-11-26:
not found; https://github.com/pytorch/pytorch/pull/79996 made retained gradients follow writes.
"""

import sys

import torch

leaf = torch.ones(2, requires_grad=True)
other = torch.ones(2, requires_grad=True)
y = leaf * 2
y.retain_grad()
y.detach_()
expected = [3.0, 3.0]
try:
    y.add_(other)
    (y * 3).sum().backward()
    got = other.grad.tolist()
except RuntimeError as error:
    got = str(error).splitlines()[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
