"""Reverse mode of forward mode gives nan for eigenvectors of eigh.

Forward mode of forward mode gives the second derivative. Nothing was found upstream (2026-11-23).
"""

import sys

import torch

matrix = torch.tensor([[1.0, 0.5], [0.5, 3.0]], dtype=torch.float64)
along = torch.tensor([[1.0, 0.5], [0.5, 2.0]], dtype=torch.float64)
start, one = torch.tensor(0.0, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)


def entry(t: torch.Tensor) -> torch.Tensor:
    """The square of an entry of an eigenvector, which has no sign."""
    return torch.linalg.eigh(matrix + t * along)[1][0, 0] ** 2


def slope(t: torch.Tensor) -> torch.Tensor:
    """Its derivative, by forward mode."""
    return torch.func.jvp(entry, (t,), (one,))[1]


expected = torch.func.jvp(slope, (start,), (one,))[1].item()
got = torch.func.grad(slope)(start).item()
print("expected", expected)
print("got     ", got)
sys.exit(not abs(got - expected) < 1e-9)
