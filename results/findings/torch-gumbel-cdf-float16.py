"""The distribution function of Gumbel in float16 has no gradient where it is below 6.1e-5.

It is that of a uniform distribution between the smallest normal number and 1, which is flat below.
"""

import sys

import torch

x = torch.tensor(-2.4, dtype=torch.float16, requires_grad=True)
zero, one = torch.zeros((), dtype=torch.float16), torch.ones((), dtype=torch.float16)
torch.distributions.Gumbel(zero, one, validate_args=False).cdf(x).backward()
y = x.detach().double().requires_grad_()
torch.exp(-torch.exp(-y)).backward()
expected, got = y.grad.item(), x.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 0.1 * expected)
