"""The gradient of relu of a sparse matrix pairs entries by their order, not by their places.

A cotangent that stores other places than the input has a wrong gradient if it stores as many, as
here; otherwise it is refused for the sizes of its values. Searched in pytorch/pytorch on
2026-11-27: a change that was never merged (#98935, for cotangents that store nothing).
"""

import sys
import warnings

import torch

warnings.simplefilter("ignore")
at = torch.tensor([[0, 0], [1, 2]])
x = torch.sparse_coo_tensor(at, torch.tensor([1.0, -1.0]), (3, 3)).coalesce().requires_grad_()
factor = torch.tensor([[5.0, 0, 0], [2, 0, 0], [0, 0, 0]])
product = (x.relu() @ factor.to_sparse()).to_dense()
(gradient,) = torch.autograd.grad(product, x, torch.ones(3, 3))
got = gradient.to_dense()[tuple(at)].tolist()
print("expected", [2.0, 0.0])
print("got     ", got)
sys.exit(got != [2.0, 0.0])
