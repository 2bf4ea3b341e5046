"""The second derivatives of logaddexp are nan where one argument is far above the other.

They are those of a sigmoid of the difference, which has become flat there: zero.
"""

import sys

import torch

x, y = (torch.tensor(v, requires_grad=True) for v in (0.0, 1000.0))
(first,) = torch.autograd.grad(torch.logaddexp(x, y), x, create_graph=True)
(got,) = torch.autograd.grad(first, x)
print("expected", 0.0)
print("got     ", got.item())
sys.exit(got.item() != 0.0)
