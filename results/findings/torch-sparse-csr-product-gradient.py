"""The gradient of a product of matrices with compressed rows lands on the wrong entries.

It comes with the columns of a row in any order, as products by MKL do; made a tensor in coordinates
it is called coalesced as it is, and what looks for entries in it by their order misses some.
Searched in pytorch/pytorch on 2026-11-27: invalid matrices as results of such products (#95491,
closed), and nothing of gradients.
"""

import sys
import warnings

import torch

warnings.simplefilter("ignore")
a = torch.tensor([[0.0, 0, 0], [3.5, 0, 3], [1, 0, 0]])
b = torch.tensor([[0.5, 3.0, 0], [0, 3, 0], [2, 3.5, 0]])
w = torch.arange(1.0, 10).reshape(3, 3)
at = a.to_sparse().indices()
v = a[tuple(at)].requires_grad_()
left = torch.sparse_coo_tensor(at, v, (3, 3)).to_sparse_csr()
product = (left @ b.to_sparse_csr()).to_dense()
(gradient,) = torch.autograd.grad(product, v, w)
expected = (w @ b.T)[tuple(at)]
print("expected", expected.tolist())
print("got     ", gradient.tolist())
sys.exit(not torch.equal(gradient, expected))
