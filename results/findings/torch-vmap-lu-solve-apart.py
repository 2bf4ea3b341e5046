"""Mapped over matrices and, within, over right-hand sides, lu_solve gives wrong solutions.

The first of the matrices has its own; what belongs to the others solves no system. Mapped the other
way round, or over one of the two alone, all is right.
"""

import sys

import torch
from torch.func import vmap


def solved(a, b):
    """Solve a system by factors of its matrix."""
    return torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b)


matrices = torch.tensor([[[4.0, 1.0], [1.0, 2.0]], [[2.0, 1.0], [1.0, 4.0]]], dtype=torch.float64)
sides = torch.tensor([[[1.0], [2.0]], [[3.0], [1.0]]], dtype=torch.float64)
expected = torch.stack([torch.stack([solved(a, b) for b in sides]) for a in matrices])
got = vmap(lambda a: vmap(lambda b: solved(a, b))(sides))(matrices)
print("expected", expected.flatten().tolist())
print("got     ", got.flatten().tolist())
sys.exit(not torch.allclose(expected, got))
