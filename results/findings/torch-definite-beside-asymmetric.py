"""Beside a matrix that is not symmetric, one that is not definite is said to be positive definite.

Constraint.check tells "whether each event in value satisfies this constraint"
(https://docs.pytorch.org/docs/stable/distributions.html), and does of the second matrix alone. In a
batch with an asymmetric one it stops at what is symmetric. Nothing was found upstream, 2026-12.
"""

import sys

import torch
from torch.distributions import constraints

asymmetric, indefinite = [[1.0, 2.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]
batch = torch.tensor([asymmetric, indefinite])
wrong = False
for constraint in (constraints.positive_definite, constraints.positive_semidefinite):
    alone = [constraint.check(each).item() for each in batch]
    together = constraint.check(batch).tolist()
    print("expected", constraint, alone)
    print("got     ", constraint, together)
    wrong = wrong or alone != together
sys.exit(wrong)
