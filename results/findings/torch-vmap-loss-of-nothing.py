"""Losses of nothing: their gradient has no entries, and under vmap it is a division by zero."""

import sys

import torch

nothing = torch.ones(2, 0)


def gradient(x):
    """Return the gradient of the mean loss of no entries."""
    return torch.func.grad(torch.nn.functional.huber_loss)(x, x)


expected = torch.stack([gradient(x) for x in nothing]).tolist()
print("expected", expected)
try:
    got = torch.func.vmap(gradient)(nothing).tolist()
except ZeroDivisionError as error:
    got = f"ZeroDivisionError: {error}"
print("got     ", got)
sys.exit(got != expected)
