"""soft_margin_loss is infinite from 89 on, and its gradient nan: e to that power overflows.

softplus computes the same without it. Searched for in the issues of the library on 2026-11-22:
there is https://github.com/pytorch/pytorch/issues/77529, which asks for log1p in its place.
"""

import sys

import torch
from torch.nn.functional import soft_margin_loss

x = torch.tensor([89.0], requires_grad=True)
loss = soft_margin_loss(x, torch.tensor([-1.0]))
expected = [89.0, 1.0]
got = [loss.item(), torch.autograd.grad(loss, x)[0].item()]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
