"""vmap of lu_solve gives wrong solutions where one matrix has several right-hand sides.

Each slice is one matrix, by its factors, and a batch of right-hand sides.
"""

import sys

import torch


def solved(a, sides):
    """Solve a system by factors of its matrix."""
    return torch.linalg.lu_solve(*torch.linalg.lu_factor(a), sides)


systems = torch.tensor([[[2.0, 1.0], [0.0, 4.0]], [[1.0, 3.0], [5.0, 2.0]]])
sides = torch.arange(12.0).reshape(2, 3, 2, 1)
expected = torch.stack([solved(a, b) for a, b in zip(systems, sides, strict=True)])
got = torch.func.vmap(solved)(systems, sides)
print("expected", expected.flatten().tolist())
print("got     ", got.flatten().tolist())
sys.exit(got.shape != expected.shape or not torch.allclose(got, expected))
