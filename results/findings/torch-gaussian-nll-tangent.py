"""Where the variance is below eps, forward mode gives gaussian_nll_loss no slope in it.

Its documentation says that the clamping is ignored by autograd, and backward does ignore it.
"""

import sys

import torch
from torch.nn.functional import gaussian_nll_loss

one, zero = torch.ones(1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)


def loss(var):
    """As a function of one argument."""
    return gaussian_nll_loss(one, zero, var, eps=2.0, reduction="sum")


value, pull = torch.func.vjp(loss, one / 2)
expected = pull(torch.ones_like(value))[0].item()
got = torch.func.jvp(loss, (one / 2,), (one,))[1].item()
print("expected", expected, "as backward has it")
print("got     ", got)
sys.exit(got != expected)
