"""The gradient of interpolate takes a factor for 1 where as many entries come of it.

The result takes the factor as it is: what it is made of is told by the result for unit vectors.
"""

import sys

import torch

x = torch.tensor([[[1.0, 2.0, 3.0]]], dtype=torch.float64, requires_grad=True)
result = torch.nn.functional.interpolate(x, scale_factor=1.25, mode="nearest")
cotangent = torch.tensor([[[1.0, 2.0, 3.0]]], dtype=torch.float64)
expected = [
    (torch.nn.functional.interpolate(unit[None, None], scale_factor=1.25) * cotangent).sum().item()
    for unit in torch.eye(3, dtype=torch.float64)
]
got = torch.autograd.grad(result, x, cotangent)[0].flatten().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
