"""The gradient of prelu by its slopes cannot be differentiated where it was mapped over them.

What is mapped over is the slopes and the cotangent, and not the input. Backward stops over a gradient
whose shape is that of the input and not that of the slopes.
"""

import sys

import torch

x = torch.tensor([[1.0, -1.0], [2.0, -3.0], [-4.0, 5.0]])
slopes = torch.tensor([[0.25, 0.5], [0.5, 0.125]])
cotangents = torch.ones(2, 3, 2)


def gradient(cotangent, slope):
    """Return the gradient by the slopes."""
    return torch.func.vjp(lambda w: torch.nn.functional.prelu(x, w), slope)[1](cotangent)[0]


def one_by_one(cotangents, slopes):
    """Return all gradients, without mapping."""
    return torch.stack([gradient(g, w) for g, w in zip(cotangents, slopes, strict=True)])


def derivative(function):
    """Differentiate all gradients by the cotangents."""
    return torch.func.vjp(function, cotangents, slopes)[1](torch.ones_like(slopes))[0]


expected = derivative(one_by_one).tolist()
print("expected", expected)
try:
    got = derivative(torch.func.vmap(gradient)).tolist()
except RuntimeError as error:
    got = error
print("got     ", got)
sys.exit(got != expected)
