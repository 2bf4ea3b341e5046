"""The Jacobian of cdist by jacrev is wrong, without a word: gradients for several cotangents at once.

One cotangent after the other gives the right rows, of every order p.
"""

import sys

import torch

x = torch.tensor([[0.5, -1.0], [1.5, 0.25]], dtype=torch.float64)
y = torch.zeros(1, 2, dtype=torch.float64)


def distances(x):
    """Measure the distances of the rows of x from the origin."""
    return torch.cdist(x, y, p=1.0).flatten()


pull = torch.func.vjp(distances, x)[1]
expected = torch.stack([pull(row)[0] for row in torch.eye(2, dtype=torch.float64)])
got = torch.func.jacrev(distances)(x)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.equal(expected, got))
