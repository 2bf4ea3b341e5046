"""Values of sparse_coo_tensor have no second derivatives: their gradient is a constant, silently.

The product is (a v)^2 with a = 3, whose second derivative by v is 18; what is found is nothing, or
where the sum has another term, that of the term alone. Values of sparse_csr_tensor raise instead.
Searched in pytorch/pytorch on 2026-11-27: gradgradcheck of sparse leaves (#96187), second
derivatives of a dense factor (#36436), and nothing of this.
"""

import sys
import warnings

import torch

warnings.simplefilter("ignore")
v = torch.tensor([2.0], requires_grad=True)
matrix = torch.sparse_coo_tensor(torch.tensor([[0], [0]]), v, (1, 1))
loss = ((matrix @ torch.tensor([[3.0]])) ** 2).sum() + (v**2).sum()
(first,) = torch.autograd.grad(loss, v, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), v)
print("expected", 40.0, 20.0)
print("got     ", first.item(), second.item())
sys.exit(second.item() != 20.0)
