"""A compiled function that writes a product over a part of its argument has a wrong gradient.

Inductor keeps the part as it was before by where it lies in memory, and then it is written: the
gradient is a product with the new value. Other writes are missed for the same reason in
https://github.com/pytorch/pytorch/issues/197887. Where the argument is written as a whole that is
noticed, and the gradient refused: https://github.com/pytorch/pytorch/issues/185497.
"""

import sys

import torch


def written(t, u):
    """Multiply the first row of t by u, in place."""
    t[0].mul_(u)


def gradient(function):
    """Return the gradient of all that t holds afterwards."""
    t = torch.tensor([[3.0, 5.0], [7.0, 9.0]])
    u = torch.tensor([1.0, -2.0], requires_grad=True)
    function(t, u)
    t.sum().backward()
    return u.grad.tolist()


expected, got = gradient(written), gradient(torch.compile(written))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
