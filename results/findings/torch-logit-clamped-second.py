"""The second derivative of logit at 0 is nan with an eps, which makes it a constant there.

The gradient is masked after a division by zero: what is differentiated further is not a number.
Searched for in the issues of the library on 2026-11-22: not found.
"""

import sys

import torch

x = torch.tensor(0.0, requires_grad=True)
(first,) = torch.autograd.grad(torch.logit(x, eps=0.25), x, create_graph=True)
(got,) = torch.autograd.grad(first, x)
print("expected", 0.0)
print("got     ", got.item())
sys.exit(got.item() != 0.0)
