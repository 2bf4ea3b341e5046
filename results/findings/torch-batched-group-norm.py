"""Gradients of group_norm for several cotangents at once cannot be recorded.

One cotangent after the other is recorded; so are several at once of layer_norm.
"""

import sys

import torch

x = torch.arange(8.0).reshape(2, 2, 2).requires_grad_()
weight = torch.ones(2, requires_grad=True)
y = torch.nn.functional.group_norm(x, 2, weight)
cotangents = torch.stack([torch.ones(2, 2, 2), torch.arange(8.0).reshape(2, 2, 2)])
single = [torch.autograd.grad(y, x, c, create_graph=True)[0] for c in cotangents]
print("expected", tuple(torch.stack(single).shape))
try:
    got = torch.autograd.grad(y, x, cotangents, create_graph=True, is_grads_batched=True)[0]
except RuntimeError as error:
    print("got     ", f"RuntimeError: {error}")
    sys.exit(1)
print("got     ", tuple(got.shape))
