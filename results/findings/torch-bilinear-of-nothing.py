"""A bilinear form of vectors without entries is a sum over none, which is 0; it is refused.

A sum that is written by einsum is 0, and so is what linear makes of vectors without entries.
"""

import sys

import torch

x, y = torch.zeros(2, 0), torch.zeros(2, 3)
weight = torch.zeros(4, 0, 3)
print("expected", torch.einsum("bi,oij,bj->bo", x, weight, y))
try:
    got = torch.nn.functional.bilinear(x, y, weight)
except RuntimeError as error:
    print("got     ", f"RuntimeError: {error}")
    sys.exit(1)
print("got     ", got)
