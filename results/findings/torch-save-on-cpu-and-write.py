"""Within save_on_cpu a tensor of the host is kept as it is: a write to it changes the gradient.

Without it the write is noticed, and backward refused; a tensor of a GPU is copied, and the gradient
is that of what was computed.
"""

import sys

import torch
from torch.autograd.graph import save_on_cpu

x = torch.tensor([2.0], requires_grad=True)
y = torch.tensor([3.0])
with save_on_cpu():
    product = x * y
y.fill_(7)
try:
    product.backward()
    got = x.grad.item()
except RuntimeError as error:
    got = str(error).splitlines()[0]
print("expected", 3.0, "or that the write is noticed")
print("got     ", got)
sys.exit(got == 7.0)
