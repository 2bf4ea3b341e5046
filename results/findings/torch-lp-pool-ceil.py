"""With ceil_mode lp_pool multiplies what is left at the end: it is no root of a sum of powers."""

import sys

import torch
from torch.nn.functional import lp_pool1d

x = torch.ones(1, 1, 3, dtype=torch.float64)
# The windows are [1, 1] and [1].
expected = torch.tensor([[[2.0, 1.0]]], dtype=torch.float64)
got = lp_pool1d(x, 1.0, 2, ceil_mode=True)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.equal(got, expected))
