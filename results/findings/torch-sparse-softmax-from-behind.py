"""The gradient of a sparse softmax is wrong along an axis that is counted from behind.

What the entries share is left out of it, so that it does not add up to zero; by the same axis
counted from the front it does. So it is for log_softmax. Searched in pytorch/pytorch on 2026-12-01:
the values along such an axis were refused once (#69516), of the gradient nothing is said.
"""

import sys
import warnings

import torch

warnings.simplefilter("ignore")
found = []
for axis in (1, -1):
    x = torch.tensor([[1.0, 2.0]]).to_sparse().requires_grad_()
    shares = torch.sparse.softmax(x, axis).to_dense()
    (gradient,) = torch.autograd.grad(shares, x, torch.tensor([[1.0, 2.0]]))
    found.append(gradient.to_dense().tolist())
print("expected", found[0])
print("got     ", found[1])
sys.exit(found[0] != found[1])
