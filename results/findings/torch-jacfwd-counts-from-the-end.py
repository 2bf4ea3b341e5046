"""Arguments counted from the end have a Jacobian of zeros by jacfwd, and a Hessian of zeros.

The functions grad and jacrev, given the same numbers, differentiate by the argument that is meant.
"""

import sys

import torch

x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([2.0, 3.0, 4.0])


def product(x, y):
    """Multiply entry by entry."""
    return x * x * y


expected = torch.func.jacrev(product, argnums=-1)(x, y)
got = torch.func.jacfwd(product, argnums=-1)(x, y)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.equal(expected, got))
