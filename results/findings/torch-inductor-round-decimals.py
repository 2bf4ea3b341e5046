"""A number that is rounded to one decimal is not the one closest to it, compiled by Inductor.

The quotient by 10 is computed as a product with what is not quite 1 / 10. Without the compiler
PyTorch divides, and the result is the number of its dtype closest to the decimal.
Searched for in the issues of the library on 2026-11-30: nothing was found.
"""

import sys

import torch


def rounded(x):
    """Round to one decimal."""
    return torch.round(x, decimals=1)


x = torch.tensor([-30.84375, 0.3125])
expected, got = rounded(x).tolist(), torch.compile(rounded)(x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
