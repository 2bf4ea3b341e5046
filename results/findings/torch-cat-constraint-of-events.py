"""The constraint `cat` raises where its parts are constraints of vectors.

It has one answer for each vector, and joins the answers along the axis of the entries, which they
have no more. TransformedDistribution.log_prob asks it of each value, with CatTransform.
"""

import sys

import torch
from torch.distributions import constraints

both = constraints.cat([constraints.real_vector, constraints.real_vector], dim=-1, lengths=[1, 2])
print("expected", torch.tensor(True), "of a vector: event_dim is", both.event_dim)
try:
    got = both.check(torch.zeros(3))
    print("got     ", got)
    wrong = got.shape != ()
except RuntimeError as error:
    print("got     ", error)
    wrong = True
sys.exit(wrong)
