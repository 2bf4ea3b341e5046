"""Under vmap addmm reads a summand that it is to pass over.

With beta=0 what is added is ignored, as is documented, and numbers that are none do not pass into
the result. Mapped over, 0 times nan is added.
"""

import sys

import torch

summand = torch.full((2, 2, 2), torch.nan)
factors = torch.ones(2, 2, 3), torch.ones(2, 3, 2)


def product(c, a, b):
    """Multiply, and add nothing."""
    return torch.addmm(c, a, b, beta=0)


expected = torch.stack([product(*each) for each in zip(summand, *factors, strict=True)])
got = torch.func.vmap(product)(summand, *factors)
print("expected", expected)
print("got     ", got)
sys.exit(int(not torch.equal(expected, got)))
