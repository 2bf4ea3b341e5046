"""SGD with Nesterov's momentum writes over the gradients if it steps all parameters at once.

What a step goes along is added to the gradients themselves (torch/optim/sgd.py, _multi_tensor_sgd),
unless weight decay or maximize has copied them before; with foreach=False they stay as they are.
Searched in pytorch/pytorch on 2026-11-27: #92706 took such writes out of the other optimizers.
"""

import sys

import torch


def gradient_after(**way):
    """Return a gradient of 1 after a step."""
    parameter = torch.zeros(1, requires_grad=True)
    parameter.grad = torch.ones(1)
    torch.optim.SGD([parameter], lr=0.25, momentum=0.5, nesterov=True, **way).step()
    return parameter.grad.item()


print("expected", gradient_after(foreach=False))
print("got     ", gradient_after(foreach=True))
sys.exit(gradient_after(foreach=False) != gradient_after(foreach=True))
