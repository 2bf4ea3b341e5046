"""The distribution function of Gumbel in 16 bits has no gradient near its ends.

It is that of a uniform distribution between the smallest normal number and the largest below 1: it
is flat below 6.1e-5 in float16, and close to 1 in bfloat16, where it depends on the release.
"""

import sys

import torch


def gradient(where, dtype):
    """Return the gradient of the standard distribution function."""
    x = torch.tensor(where, dtype=dtype, requires_grad=True)
    zero, one = torch.zeros((), dtype=dtype), torch.ones((), dtype=dtype)
    torch.distributions.Gumbel(zero, one, validate_args=False).cdf(x).backward()
    return x.grad.item()


places = ((-2.375, torch.float16), (5.0, torch.bfloat16))
expected = [gradient(where, torch.float64) for where, _ in places]
got = [gradient(where, dtype) for where, dtype in places]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(y - x) > 0.1 * x for x, y in zip(expected, got, strict=True)))
