"""The second derivative of what torch.nn.utils.weight_norm computes is not that of g * v / |v|.

`torch.autograd.gradgradcheck` refuses it as well.
"""

import sys

import torch
from torch import _weight_norm_interface

found = []
for written in ("as it is", "by the library"):
    v = torch.tensor([[1.0, 2.0], [3.0, 0.5]], dtype=torch.float64, requires_grad=True)
    g = torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    if written == "as it is":
        w = v * (g / torch.linalg.vector_norm(v, dim=1, keepdim=True))
    else:
        w = _weight_norm_interface(v, g, 0)[0]
    (first,) = torch.autograd.grad(w[0, 0], v, create_graph=True)
    found.append(torch.autograd.grad(first[0, 1], v)[0])
expected, got = found
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.allclose(got, expected))
