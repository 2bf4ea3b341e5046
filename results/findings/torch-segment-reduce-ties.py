"""Equal entries of a segment share a cotangent that is above zero, and each have one below zero."""

import sys

import torch

found = []
for cotangent in (1.0, -1.0):
    x = torch.tensor([3.0, 3.0], requires_grad=True)
    largest = torch.segment_reduce(x, "max", lengths=torch.tensor([2]))
    largest.backward(torch.tensor([cotangent]))
    found.append(x.grad.tolist())
expected = [[0.5, 0.5], [-0.5, -0.5]]
print("expected", expected)
print("got     ", found)
sys.exit(found != expected)
