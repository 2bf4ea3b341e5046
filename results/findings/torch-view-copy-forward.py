"""Forward mode refuses view_copy of a transposed tensor.

Its value is there, and so is its gradient in reverse mode: the tangent alone is viewed where it
would have to be copied.
"""

import sys

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).T
print("expected", x.reshape(4).tolist())
try:
    value, got = torch.func.jvp(lambda z: torch.view_copy(z, (4,)), (x,), (x,))
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
print("got     ", got.tolist())
sys.exit(not torch.equal(got, x.reshape(4)))
