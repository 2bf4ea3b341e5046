"""A cotangent that is infinite makes gradients of the other classes nan, compiled by Inductor.

The gradient of nll_loss goes to the score of the label alone; all others are zero, as they are
without the compiler. The formula that Inductor takes multiplies the cotangent by zeros.
Searched for in the issues of the library on 2026-11-30: nothing was found.
"""

import sys

import torch
from torch.nn import functional

LABELS = torch.tensor([0, 2])


def loss(scores):
    """The loss of each row."""
    return functional.nll_loss(scores, LABELS, reduction="none")


def gradient(function):
    """The gradient where the cotangent of the first row is infinite."""
    scores = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    (found,) = torch.autograd.grad(function(scores), scores, torch.tensor([torch.inf, 1.0]))
    return found.tolist()


expected, got = gradient(loss), gradient(torch.compile(loss))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
