"""The gradient of instance_norm of one image is wrong where its cotangent has channels last.

Such a cotangent comes of a convolution with channels last behind it. One image is normalized as a
batch of its channels, without a copy, and the backward pass reads the cotangent in the order of its
memory. The same cotangent in the usual order has the gradient that is expected.
"""

import sys

import torch
from torch.nn.functional import instance_norm

x = torch.arange(8.0).reshape(1, 2, 2, 2).square().requires_grad_()
cotangent = torch.arange(8.0).sin().reshape(1, 2, 2, 2)
turned = cotangent.contiguous(memory_format=torch.channels_last)
(expected,) = torch.autograd.grad(instance_norm(x), x, cotangent)
(got,) = torch.autograd.grad(instance_norm(x), x, turned)
print("expected", expected)
print("got     ", got)
sys.exit(int(not torch.allclose(expected, got)))
