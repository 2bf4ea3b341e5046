"""ldexp beside float32: the power of two is one of float32, though the result is of float64.

Searched for in the issues of the library on 2026-11-25: pull request 186566 speaks of integers.
"""

import sys

import torch

wide = torch.ones(1, dtype=torch.float64)
narrow = torch.tensor([0.5], dtype=torch.float32)
got = torch.ldexp(wide, narrow).item()
print("expected", 2**0.5)
print("got     ", got)
sys.exit(abs(got - 2**0.5) > 1e-12)
