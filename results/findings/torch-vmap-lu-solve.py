"""The gradient of lu_solve under two nested vmaps ends in an internal assertion.

Under one vmap it is right.
"""

import sys

import torch


def solved(a, b):
    """Solve a system by factors of its matrix."""
    return torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b)


def gradient(a, b):
    """Differentiate the sum of the solution by the matrix."""
    return torch.func.grad(lambda a: solved(a, b).sum())(a)


a = torch.tensor([[4.0, 1.0], [1.0, 2.0]]).repeat(2, 2, 1, 1)
b = torch.ones(2, 2, 2, 1)
expected = torch.func.vmap(gradient)(a.flatten(0, 1), b.flatten(0, 1)).reshape(2, 2, 2, 2)
print("expected", expected.flatten().tolist())
try:
    got = torch.func.vmap(torch.func.vmap(gradient))(a, b)
except RuntimeError as error:
    print("got     ", f"RuntimeError: {str(error).splitlines()[0]}")
    sys.exit(1)
print("got     ", got.flatten().tolist())
sys.exit(not torch.allclose(expected, got))
