"""In evaluation, the gradient of batch_norm mistakes a running variance that is strided in memory.

The result is that of the same entries in a row.
"""

import sys

import torch

x = torch.ones(1, 2, requires_grad=True)
mean = torch.zeros(2)
variance = torch.tensor([1.0, 4.0, 16.0, 64.0])[::2]


def gradient(variance):
    """Return the gradient of the normalized row by the row."""
    result = torch.nn.functional.batch_norm(x, mean, variance)
    return torch.autograd.grad(result, x, torch.tensor([[1.0, 1.0]]))[0].tolist()


expected, got = gradient(variance.clone()), gradient(variance)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
