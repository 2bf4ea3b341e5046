"""jacrev refuses a function of something whose result has no entries.

jacfwd gives the matrix without rows.
"""

import sys

import torch


def end(x):
    """Return what is left when everything is split off."""
    return torch.split(x, [1, 0])[1]


x = torch.ones(1)
expected = torch.func.jacfwd(end)(x)
print("expected", tuple(expected.shape))
try:
    got = torch.func.jacrev(end)(x)
except IndexError as error:
    print("got     ", f"IndexError: {error}")
    sys.exit(1)
print("got     ", tuple(got.shape))
sys.exit(expected.shape != got.shape)
