"""The divergence of Wishart distributions adds up a batch, and has no gradient for the first.

It is that of exponential families in general, which sums what the degrees of freedom contribute
over as many axes as a matrix has, whether or not these are axes of a batch, and detaches the
parameters of the first distribution.
"""

import sys

import torch
from torch.distributions import Wishart, kl_divergence

df = torch.tensor([5.0, 6.0], requires_grad=True)
eye = torch.eye(2)
q = 7.0, 2 * eye
expected = torch.stack([kl_divergence(Wishart(n, eye), Wishart(torch.tensor(q[0]), q[1]))
                        for n in df.detach()])  # fmt: skip
got = kl_divergence(Wishart(df, eye), Wishart(torch.full((2,), q[0]), q[1]))
(gradient,) = torch.autograd.grad(got.sum(), df, allow_unused=True)
print("expected", expected.detach(), "as each of the batch by itself, and a gradient")
print("got     ", got.detach(), "with a gradient of", gradient)
sys.exit(not torch.allclose(got, expected) or gradient is None)
