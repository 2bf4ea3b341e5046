"""Adam that is told to be differentiable computes what its means lack in float32.

One less a power of 0.999 has four digits there, and the first step is off in the sixth, beside
parameters of float64 as well. NAdam and AdamW do the same.
"""

import sys

import torch


def place(name, **told):
    """Return where the first step leads."""
    leaf = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    parameter = leaf * 1 if told else leaf
    optimizer = getattr(torch.optim, name)([parameter], lr=0.25, eps=0.25, **told)
    if told:
        parameter.retain_grad()
    parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    return parameter.item()


names = ("Adam", "AdamW", "NAdam")
expected = [place(name) for name in names]
got = [place(name, differentiable=True) for name in names]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(x - y) > 1e-9 for x, y in zip(got, expected, strict=True)))
