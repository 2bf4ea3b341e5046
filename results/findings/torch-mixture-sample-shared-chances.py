"""A mixture whose batch shares the chances of its parts has densities, but cannot be sampled.

The documentation of MixtureSameFamily lets the chances have no batch of their own.
"""

import sys

import torch
from torch.distributions import Categorical, MixtureSameFamily, Normal

parts = Normal(torch.zeros(2, 3), torch.ones(2, 3))
mixture = MixtureSameFamily(Categorical(torch.ones(3)), parts)
print("densities", mixture.log_prob(torch.zeros(2)))
print("expected a sample of shape", (4, 2))
try:
    got = mixture.sample((4,))
    print("got     ", tuple(got.shape))
    wrong = got.shape != (4, 2)
except RuntimeError as error:
    print("got     ", error)
    wrong = True
sys.exit(wrong)
