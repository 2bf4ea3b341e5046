"""Second derivatives of torch.cond and of a scan are lost in silence.

With create_graph=True the gradient of either has no graph, so that beside anything else in a sum it
counts as a constant. torch.compile says in such a place that it cannot differentiate twice; these
say nothing. Searched in pytorch/pytorch on 2026-11-25: torch.compile's own (#181581), which is
mended, and nothing of these.
"""

import sys
import warnings

import torch
from torch._higher_order_ops import scan

warnings.simplefilter("ignore")
x = torch.tensor([2.0], requires_grad=True)


def second(y):  # noqa: D103
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return torch.autograd.grad(slope.sum(), x)[0].item()


holds = torch.tensor(True)
branch = second(torch.cond(holds, lambda z: z**3, lambda z: z**2, (x,)) + x * x)
rows = torch.ones(2, 1)
loop = second(scan(lambda c, r: (c * c * r, c * r), x, rows)[0] + x * x)
print("expected", 6 * 2.0 + 2, 12 * 2.0**2 + 2)
print("got     ", branch, loop)
sys.exit((branch, loop) != (14.0, 50.0))
