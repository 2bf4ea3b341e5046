"""vmap of solve takes one right-hand side of several systems for a batch of them.

Each slice is a batch of two systems with one matrix on the right, which belongs to both. Mapped over
two slices the solutions are silently those of other sides; over three they are refused.
"""

import sys

import torch

systems = torch.tensor([[2.0, 1.0], [0.0, 4.0]]) + torch.arange(4.0).reshape(
    2, 2, 1, 1
) * torch.eye(2)
sides = torch.arange(12.0).reshape(2, 2, 3)
expected = torch.stack([torch.linalg.solve(a, b) for a, b in zip(systems, sides, strict=True)])
got = torch.func.vmap(torch.linalg.solve)(systems, sides)
print("expected", expected.flatten().tolist())
print("got     ", got.flatten().tolist())
sys.exit(got.shape != expected.shape or not torch.allclose(got, expected))
