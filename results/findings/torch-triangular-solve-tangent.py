"""Forward mode of triangular_solve counts entries of the matrix that are not looked at.

The tangent of the other triangle has a part in it, and that of a diagonal of ones, which reverse
mode and linalg.solve_triangular leave out.
"""

import sys

import torch

a = torch.tensor([[2.0, 1.0], [0.0, 4.0]], dtype=torch.float64)
b = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
below = torch.tensor([[0.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
_, old = torch.func.jvp(lambda m: torch.triangular_solve(b, m)[0], (a,), (below,))
_, new = torch.func.jvp(lambda m: torch.linalg.solve_triangular(m, b, upper=True), (a,), (below,))
print("along an entry below the diagonal of an upper triangle:")
print("expected", new.flatten().tolist(), "got", old.flatten().tolist())
sys.exit(int(not torch.equal(old, new)))
