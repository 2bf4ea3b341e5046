"""The gradient of torch.while_loop is that of one step where none was run.

Values are right. Searched in pytorch/pytorch on 2026-11-25: its support of gradients (#160375), and
nothing of this.
"""

import sys
import warnings

import torch

warnings.simplefilter("ignore")
x = torch.tensor([3.0], requires_grad=True)
(y,) = torch.while_loop(lambda z: (z < 0).all(), lambda z: (z * 2,), (x,))
(gradient,) = torch.autograd.grad(y.sum(), x)
print("expected", 3.0, 1.0)
print("got     ", y.item(), gradient.item())
sys.exit(gradient.item() != 1.0)
