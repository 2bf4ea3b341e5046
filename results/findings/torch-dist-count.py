"""The backward pass of dist with p=0 fails where the second operand has a gradient.

The count of entries that differ is flat: all gradients are 0. The rule gives no tensor for that,
and what is passed on to the second operand is its negative, which cannot be taken of nothing. The
same count by cdist has zeros.
"""

import sys

import torch


def gradients(count):
    """Return the gradients of a count, or what it is refused with."""
    x, y = torch.ones(1, 3, requires_grad=True), torch.zeros(1, 3, requires_grad=True)
    try:
        return torch.autograd.grad(count(x, y).sum(), (x, y))
    except RuntimeError as error:
        return error


print("expected", gradients(lambda x, y: torch.cdist(x, y, p=0.0)))
got = gradients(lambda x, y: torch.dist(x, y, 0.0))
print("got     ", got)
sys.exit(isinstance(got, RuntimeError))
