"""A cotangent that is infinite makes gradients of the other classes nan, mapped by vmap.

The gradient of nll_loss goes to the score of the label alone; all others are zero, as they are
where nothing is mapped. The formula that vmap takes multiplies the cotangent by zeros.
Searched for in the issues of the library on 2026-12-01: nothing was found.
"""

import sys

import torch
from torch.func import vjp, vmap
from torch.nn import functional

LABELS = torch.tensor([0, 2])
SCORES = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
COTANGENT = torch.tensor([torch.inf, 1.0])


def loss(scores):
    """The loss of each row."""
    return functional.nll_loss(scores, LABELS, reduction="none")


def gradient(scores):
    """The gradient where the cotangent of the first row is infinite."""
    return vjp(loss, scores)[1](COTANGENT)[0]


expected, got = gradient(SCORES).tolist(), vmap(gradient)(SCORES[None])[0].tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
