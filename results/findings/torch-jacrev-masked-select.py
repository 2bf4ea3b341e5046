"""The matrix of derivatives of masked_select cannot be had where the mask has more axes than the input.

It has a row for each entry that is selected. Mapped backward makes other rows than there are, and
jacrev stops as it cuts them apart.
"""

import sys

import torch

x = torch.tensor([1.0, 2.0, 3.0])
mask = torch.tensor([[False, False, True], [False, False, False]])


def selected(x):
    """Return the entries that the mask selects of two rows, each of them x: one."""
    return torch.masked_select(x, mask)


expected = torch.autograd.grad(selected(y := x.clone().requires_grad_()), y)[0].unsqueeze(0)
print("expected", expected.tolist())
try:
    got = torch.func.jacrev(selected)(x)
    print("got     ", got.tolist())
    sys.exit(not got.equal(expected))
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
