"""The gradient of scatter_reduce loses a part to a value that it was told not to include.

With include_self=False the largest of 5 and 2 is written over a 5. The whole gradient belongs to
the 5 that was meant for the place; half of it is given to the one that was overwritten, and then
dropped.
"""

import sys

import torch

src = torch.tensor([5.0, 2.0], requires_grad=True)
index = torch.tensor([0, 0])
result = torch.tensor([5.0, 1.0]).scatter_reduce(0, index, src, "amax", include_self=False)
result.backward(torch.tensor([1.0, 0.0]))
expected, got = [1.0, 0.0], src.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
