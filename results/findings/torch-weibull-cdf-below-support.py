"""Weibull.cdf and Kumaraswamy.cdf take numbers below the support, and tell shares above zero."""

import sys

import torch
from torch.distributions import Kumaraswamy, Weibull

options = {"validate_args": True}
got = [
    Weibull(torch.tensor(1.0), torch.tensor(2.0), **options).cdf(torch.tensor(-1.0)).item(),
    Kumaraswamy(torch.tensor(2.0), torch.tensor(3.0), **options).cdf(torch.tensor(-0.25)).item(),
]
print("expected [0.0, 0.0], or ValueError: not within the support")
print("got     ", got)
sys.exit(got != [0.0, 0.0])
