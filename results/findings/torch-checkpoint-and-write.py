"""A function under a checkpoint that writes over what it has saved has a wrong gradient.

Without the checkpoint backward refuses it: the saved value was modified in place. With it backward
computes the function again, keeps the value by its memory alone, and then the write is made again.
"""

import sys

import torch
from torch.utils.checkpoint import checkpoint


def function(x):
    """Return the square of twice the exponential, which is written over."""
    y = x.exp()
    y.mul_(2)
    return y * y


def gradient(run):
    """Return the gradient at one half, or that it is refused."""
    x = torch.tensor([0.5], requires_grad=True)
    try:
        run(x).sum().backward()
    except RuntimeError:
        return "refused"
    return x.grad.item()


x = torch.tensor(0.5)
true, plainly = (8 * (2 * x).exp()).item(), gradient(function)
got = gradient(lambda x: checkpoint(function, x, use_reentrant=False))
print("expected", plainly, "or", true)
print("got     ", got)
sys.exit(got != "refused" and abs(got - true) > 1e-3)
