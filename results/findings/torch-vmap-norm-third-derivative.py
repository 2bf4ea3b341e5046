"""Third derivatives of layer_norm, taken by maps within maps, raise RuntimeError.

Two maps within each other give the second derivative; the formula that a third one differentiates
writes what is mapped into what is not. Without maps all three are given.
Searched for in the issues of the library on 2026-12-01: nothing was found.
"""

import sys

import torch
from torch.func import vjp, vmap

x = torch.tensor([[1.0, -2.0, 0.5], [2.0, 1.0, -1.0]], dtype=torch.float64)
cotangent = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], dtype=torch.float64)


def norm(a):
    """Normalize the rows of a matrix."""
    return torch.nn.functional.layer_norm(a, (3,))


def slope(function):
    """Return the pullback of a function as a function of where it is taken."""
    return lambda a: vjp(function, a)[1](cotangent)[0]


def mapped(function):
    """Return the same, as the first of a batch of two."""
    return lambda a: vmap(slope(function))(torch.stack([a, a]))[0]


expected = slope(slope(slope(norm)))(x)
print("expected", expected.tolist())
try:
    got = mapped(mapped(mapped(norm)))(x)
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
print("got     ", got.tolist())
sys.exit(not torch.allclose(expected, got))
