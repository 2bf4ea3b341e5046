"""The divergence of Bernoulli distributions of two batches that broadcast is refused.

That of others, such as normal ones, is computed. Infinity is written through masks of the shapes of
either, into a result of both.
"""

import sys

import torch
from torch.distributions import Bernoulli, Normal, kl_divergence

one, other = torch.tensor([[0.5, -1.0]]), torch.tensor([[-2.0], [1.5], [0.25]])
print("expected", kl_divergence(Normal(one, 1.0), Normal(other, 1.0)).shape, "as of normal ones")
try:
    print("got     ", kl_divergence(Bernoulli(logits=one), Bernoulli(logits=other)).shape)
except IndexError as error:
    print("got     ", error)
    sys.exit(1)
