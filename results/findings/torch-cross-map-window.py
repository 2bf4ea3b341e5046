"""CrossMapLRN2d never drops the first channel from its window, and differentiates another one."""

import sys

import torch

x = torch.ones(1, 4, 1, 1, dtype=torch.float64)
got, expected = (
    getattr(torch.nn, name)(3, alpha=3.0, beta=1.0, k=0.0)(x).flatten().tolist()
    for name in ("CrossMapLRN2d", "LocalResponseNorm")
)
right = torch.autograd.gradcheck(
    torch.nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0, k=1.0),
    x[:, :2].requires_grad_(),
    raise_exception=False,
)
print("expected", expected, "whose gradient is right:", True)
print("got     ", got, "whose gradient is right:", right)
sys.exit(got != expected or not right)
