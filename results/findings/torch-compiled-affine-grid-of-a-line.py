"""Compiled, the grid of an image that is one pixel high is refused by an internal error.

Along an axis of one pixel the place is a tensor of its own, whose data the compiler has not.
Searched for in the issues of the library on 2026-11-29: nothing was found.
"""

import sys

import torch


def gradient(function):
    """The gradient of a sum, as numbers."""
    theta = torch.ones(1, 2, 3, requires_grad=True)
    function(theta).sum().backward()
    return theta.grad.tolist()


def grid(theta):
    """The grid of a line of two pixels."""
    return torch.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=False)


expected = gradient(grid)
try:
    got = gradient(torch.compile(grid, backend="aot_eager", fullgraph=True))
except Exception as error:
    got = str(error).splitlines()[1]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
