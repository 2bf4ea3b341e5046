"""where, masked_fill, dist and logaddexp of a real and a complex tensor cannot be differentiated.

They promote the real operand and compute; backward then hands it a complex gradient, which the
engine refuses. add, mul, cat, stack and pow of the same operands pass on the real part. Issue 192719
is of reductions with a complex dtype; nothing was found of where (searched on 2026-11-22).
"""

import sys

import torch

x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
z = torch.tensor([1j, 2j], dtype=torch.complex128)
mask = torch.tensor([True, False])
weights = torch.tensor([1 + 2j, 3 + 4j])
(expected,) = torch.autograd.grad(x * mask + z * ~mask, x, weights)
print("expected", expected.tolist(), "as of a sum of products with the mask")
try:
    (got,) = torch.autograd.grad(torch.where(mask, x, z), x, weights)
    print("got     ", got.tolist())
    refused = False
except RuntimeError as error:
    print("got     ", str(error)[:90])
    refused = True
sys.exit(refused)
