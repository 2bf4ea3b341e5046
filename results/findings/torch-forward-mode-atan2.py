"""Forward mode and reverse mode disagree on atan2 where both arguments are zero.

The gradient is masked there, and is zero; the tangent is not, and is not a number.
"""

import sys

import torch

zeros = torch.zeros(2, dtype=torch.float64)
expected = torch.func.vjp(torch.atan2, zeros[0], zeros[1])[1](torch.ones((), dtype=torch.float64))[
    0
]
got = torch.func.jvp(torch.atan2, (zeros[0], zeros[1]), (zeros[0] + 1, zeros[1]))[1]
print("expected", expected.item())
print("got     ", got.item())
sys.exit(expected.item() != got.item())
