"""The first step of SGD with momentum is not differentiated, though it was told to be differentiable.

The momentum begins as the gradient, detached (torch/optim/sgd.py): what the step makes of the
parameter depends on the gradient just as without momentum, and its derivative is lost. Searched in
pytorch/pytorch on 2026-11-25: nothing but a question when the line was written (#45597).
"""

import sys

import torch


def derivative(momentum):
    """Return the derivative of a first step by the gradient that it is given."""
    gradient = torch.tensor([3.0], requires_grad=True)
    parameter = torch.tensor([1.0], requires_grad=True) * 1
    parameter.retain_grad()
    parameter.grad = gradient * 1
    torch.optim.SGD([parameter], lr=0.25, momentum=momentum, differentiable=True).step()
    (found,) = torch.autograd.grad(parameter.sum(), [gradient], materialize_grads=True)
    return found.item()


print("expected", derivative(0.0), "as without momentum")
print("got     ", derivative(0.5))
sys.exit(derivative(0.0) != derivative(0.5))
