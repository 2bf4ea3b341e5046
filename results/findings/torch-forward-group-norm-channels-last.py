"""Forward mode of group_norm refuses images whose channels come last in memory.

Reverse mode takes them, and forward mode the same images in row-major order.
"""

import sys

import torch
from torch.func import jvp

x = torch.arange(32.0, dtype=torch.float64).reshape(1, 4, 2, 4).sin()
last = x.contiguous(memory_format=torch.channels_last)


def normalized(z):
    """Normalize two groups of channels."""
    return torch.nn.functional.group_norm(z, 2)


_, expected = jvp(normalized, (x,), (torch.ones_like(x).cumsum(-1),))
print("expected", expected.flatten()[:4].tolist())
try:
    _, got = jvp(normalized, (last,), (torch.ones_like(last).cumsum(-1),))
except RuntimeError as error:
    print("got     ", f"RuntimeError: {error}")
    sys.exit(1)
print("got     ", got.flatten()[:4].tolist())
sys.exit(not torch.allclose(expected, got))
