"""Forward mode refuses a tensor of which several entries lie in one place.

A tangent is copied into memory laid out as its tensor is; where that overlaps itself, as after
expand, the copy is refused. Reverse mode takes such a tensor like any other.
"""

import sys

import torch

x = torch.tensor([2.0]).expand(3)
(expected,) = torch.func.vjp(torch.sin, x)[1](torch.ones(3))
print("expected", expected.tolist())
try:
    got = torch.func.jvp(torch.sin, (x,), (torch.ones(3),))[1]
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
print("got     ", got.tolist())
sys.exit(not torch.allclose(expected, got))
