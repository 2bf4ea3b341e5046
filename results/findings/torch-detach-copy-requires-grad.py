"""What detach_copy returns requires grad, and its backward pass is not implemented.

It is documented as detach whose result is freshly created, and detach returns a constant.
"""

import sys

import torch

x = torch.ones(2, requires_grad=True)
print("expected", torch.detach(x).requires_grad)
got = torch.detach_copy(x)
print("got     ", got.requires_grad)
try:
    got.sum().backward()
except RuntimeError as error:
    print("        ", error)
sys.exit(got.requires_grad)
