"""The gradient of copysign at 0 is 0, but cannot be differentiated: it gives nan.

The gradient is a quotient of zeros that is masked, as that of sinc, of which PyTorch has a report:
https://github.com/pytorch/pytorch/issues/196703. Nothing was found about copysign (2026-11-23).
"""

import sys

import torch

x = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
(slope,) = torch.autograd.grad(torch.copysign(x, torch.tensor(1.0)), x, create_graph=True)
(bend,) = torch.autograd.grad(slope, x)
print("expected", 0.0)
print("got     ", bend.item())
sys.exit(bend.item() != 0)
