"""The gradient of batch_norm in evaluation reads memory that nobody wrote where statistics are strided.

On the CPU the backward pass of a batch of rows takes a factor for each channel from a buffer that
it fills only where the running variance lies without gaps; the value in forward is right. The mean
is taken in the same way for the gradient of the weight. Searched in pytorch/pytorch on 2026-11-30:
nothing of this (issue 33867 is about what cuDNN writes to such statistics).
"""

import sys

import torch

wrong = None
for _ in range(50):
    x = torch.zeros(4, 3, dtype=torch.float64, requires_grad=True)
    mean = torch.zeros(3, dtype=torch.float64)
    variance = torch.tensor([9.0, 1.0] * 3, dtype=torch.float64)[1::2]
    y = torch.nn.functional.batch_norm(x, mean, variance, training=False, eps=0.25)
    (gradient,) = torch.autograd.grad(y, x, torch.ones_like(y))
    if not torch.allclose(gradient, torch.full_like(x, 1.25**-0.5)):
        wrong = gradient
print("expected", 1.25**-0.5, "everywhere")
print("got     ", wrong[0].tolist() if wrong is not None else "that, fifty times")
sys.exit(wrong is not None)
