"""Forward mode and reverse mode disagree on fmax where both arguments are equal.

The gradient goes to the first argument, the tangent is that of the second; fmin agrees with itself.
"""

import sys

import torch

one, nothing = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
expected = torch.func.vjp(torch.fmax, one, one)[1](one)[0]
got = torch.func.jvp(torch.fmax, (one, one), (one, nothing))[1]
print("expected", expected.item())
print("got     ", got.item())
sys.exit(expected.item() != got.item())
