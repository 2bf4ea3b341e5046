"""Forward mode and reverse mode disagree on prelu at 0, and on clamp at a bound that is a tensor.

The gradient of prelu at 0 is the slope to the left, the tangent is that of the right side. The
gradient of a clamp at its bound goes to what is clamped, the tangent is that of the bound. Each of
both is a derivative of one side; one function has two of them.
"""

import sys

import torch

one, nothing = torch.ones(1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
slope = one / 4


def least(x, bound):
    """Clamp to a bound from below."""
    return torch.clamp(x, min=bound)


cases = ((torch.nn.functional.prelu, nothing, slope), (least, one, one))
expected = [torch.func.vjp(f, x, y)[1](one)[0].item() for f, x, y in cases]
got = [torch.func.jvp(f, (x, y), (one, nothing))[1].item() for f, x, y in cases]
print("expected", expected)
print("got     ", got)
sys.exit(expected != got)
