"""The gradient of logcumsumexp loses what it is multiplied by where results are large.

The logarithm of the cotangent is added to the result, beside which it is lost. Here the last entry
is the whole sum, so that its gradient is the cotangent; logsumexp has that. Searched for in the
issues of the library on 2026-11-22: not found.
"""

import sys

import torch

x = torch.tensor([0.0, 2.0**27], requires_grad=True)
expected = [0.0, 0.5]
(gradient,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, torch.tensor([0.0, 0.5]))
got = gradient.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
