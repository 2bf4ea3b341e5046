"""Reverse mode of forward mode is not a number for eigenvectors of a matrix that is not symmetric.

The ratio of two entries of an eigenvector has no phase and no length of its own; forward mode of
forward mode and of reverse mode, and reverse mode twice, have its second derivative.
"""

import sys

import torch

A = torch.tensor([[0.0, -2.0], [3.0, 1.0]], dtype=torch.float64)
B = torch.tensor([[0.5, 0.0], [1.0, -0.5]], dtype=torch.float64)
ONE = torch.ones((), dtype=torch.float64)


def ratio(t):
    """A function of a number that no choice of eigenvectors changes."""
    vectors = torch.linalg.eig(A + t * B).eigenvectors
    return (vectors[0, 1] / vectors[1, 1]).imag


def forward(function):
    """The derivative of a function of a number, in forward mode."""
    return lambda t: torch.func.jvp(function, (t,), (ONE,))[1]


expected = forward(torch.func.grad(ratio))(ONE)
got = torch.func.grad(forward(ratio))(ONE)
print("expected", expected.item())
print("got     ", got.item())
sys.exit(not torch.allclose(got, expected))
