"""Where a length counts as eps, backward gives cosine_similarity another slope than forward mode."""

import sys

import torch
from torch.nn.functional import cosine_similarity

y = torch.tensor([1.0, 0.0], dtype=torch.float64)


def similarity(x):
    """As a function of one argument."""
    return cosine_similarity(x, y, dim=0, eps=2.0)


# The length of x is 1/2, that of y is 1: both count as 2, and what is left is linear in x.
x = torch.tensor([0.3, 0.4], dtype=torch.float64, requires_grad=True)
got, *_ = torch.autograd.grad(similarity(x), x)
slopes = [torch.func.jvp(similarity, (x.detach(),), (along,))[1] for along in torch.eye(2).double()]
print("expected [0.25, 0.0], forward mode gives", [s.item() for s in slopes])
print("got     ", got.tolist())
sys.exit(not torch.allclose(got, y / 4))
