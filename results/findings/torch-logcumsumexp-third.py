"""The third derivative of logcumsumexp is nan.

The gradient is made of logarithms of the positive and of the negative cotangents, which are
logarithms of 0 where there is no such cotangent. Nothing was found upstream about it (2026-11-23);
https://github.com/pytorch/pytorch/issues/196705 is about its forward mode.
"""

import sys

import torch


def curve(t: torch.Tensor) -> torch.Tensor:
    """The second of two sums: the logarithm of 1 + e^t."""
    return torch.logcumsumexp(torch.stack([torch.zeros_like(t), t]), 0)[1]


t = torch.tensor(0.75, dtype=torch.float64, requires_grad=True)
s = torch.sigmoid(t.detach())
expected = (s * (1 - s) * (1 - 2 * s)).item()
value = curve(t)
for _ in range(3):
    (value,) = torch.autograd.grad(value, t, create_graph=True)
print("expected", expected)
print("got     ", value.item())
sys.exit(not abs(value.item() - expected) < 1e-12)
