"""binary_cross_entropy: the gradient by the cotangent has half of the digits of float64.

It is the gradient itself, which is right; differentiated, its denominator is increased by 1e-12.
Searched for in the issues of the library on 2026-11-22: there is
https://github.com/pytorch/pytorch/issues/103316 on the bound of the first derivative.
"""

import sys

import torch

p = torch.tensor([2.0**-12], dtype=torch.float64, requires_grad=True)
v = torch.ones_like(p, requires_grad=True)
loss = torch.nn.functional.binary_cross_entropy(p, torch.ones_like(p), reduction="none")
(gradient,) = torch.autograd.grad(loss, p, v, create_graph=True)
expected = gradient.item()
(by_cotangent,) = torch.autograd.grad(gradient, v)
got = by_cotangent.item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-12 * abs(expected))
