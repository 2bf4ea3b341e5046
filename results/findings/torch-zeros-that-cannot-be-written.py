"""After a second derivative that is zero, .grad holds zeros that no later pass can add to."""

import sys

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad(x.abs().sum(), x, create_graph=True)
g.sum().backward()
expected = [3.0, 3.0]
try:
    (x * 3).sum().backward()
    got = x.grad.tolist()
except RuntimeError as error:
    got = str(error).splitlines()[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
