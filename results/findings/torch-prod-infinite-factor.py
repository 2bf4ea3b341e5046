"""prod and cumprod: an infinite factor has nan for its gradient, where the others are finite.

The result is linear in each factor, so that the gradient of one is the product of the others. It is
computed as the result over the factor, here infinity over infinity; of a single factor along an
axis, whose gradient is 1, as well. Searched for in the issues of the library on 2026-11-26: there
is https://github.com/pytorch/pytorch/issues/194699 on a product that underflows, and
https://github.com/pytorch/pytorch/issues/49724 on infinite arguments at large.
"""

import math
import sys

import torch

x = torch.tensor([math.inf, 2.0, 3.0], requires_grad=True)
one = torch.tensor([[math.inf]], requires_grad=True)
got = []
for factors, expected, function in (
    (x, 6.0, torch.prod),
    (x, 6.0, lambda t: torch.prod(t, 0)),
    (x, 9.0, lambda t: torch.cumprod(t, 0).sum()),
    (one, 1.0, lambda t: torch.prod(t, 0).sum()),
):
    (gradient,) = torch.autograd.grad(function(factors), factors)
    got.append(gradient.flatten()[0].item() == expected)
    print("expected", expected, "got", gradient.flatten()[0].item())
sys.exit(not all(got))
