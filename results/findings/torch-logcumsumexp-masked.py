"""The gradient of logcumsumexp is nan at a first entry of -inf, whose power of e is zero.

The result there is -inf, and its cotangent zero; the other results do not depend on the entry.
Searched for in the issues of the library on 2026-11-22: there is
https://github.com/pytorch/pytorch/issues/49724 on logaddexp and logsumexp.
"""

import sys

import torch

x = torch.tensor([-torch.inf, 1.0], requires_grad=True)
expected = [0.0, 1.0]
(gradient,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, torch.tensor([0.0, 1.0]))
got = gradient.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
