"""The second derivative of mish is nan where e ** x overflows; the function is straight there.

Searched for in the issues of the library on 2026-11-22: not found.
"""

import sys

import torch

x = torch.tensor(89.0, requires_grad=True)
(first,) = torch.autograd.grad(torch.nn.functional.mish(x), x, create_graph=True)
(got,) = torch.autograd.grad(first, x)
print("expected", 0.0)
print("got     ", got.item())
sys.exit(got.item() != 0.0)
