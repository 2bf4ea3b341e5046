"""A backward pass of _foreach_addcdiv fails for short tensors late in a list.

The gradient of the divisors asks the n-th tensor of the list for its dtype, and takes its n-th row
to ask: a tensor that has no such row ends the pass. The same division by addcdiv has a gradient.
"""

import sys

import torch


def gradient(divide):
    """Return the gradient of the second divisor of two, or what it is refused with."""
    tensors, divisors = [torch.ones(1, 3), torch.ones(1, 3)], [torch.ones(1, 3), torch.ones(1, 3)]
    divisors[1].requires_grad_()
    try:
        return torch.autograd.grad(divide(tensors, divisors).sum(), divisors[1])[0]
    except IndexError as error:
        return error


print("expected", gradient(lambda x, y: torch.addcdiv(x[1], x[1], y[1])))
got = gradient(lambda x, y: torch._foreach_addcdiv(x, x, y)[1])  # noqa: SLF001 (a documented name)
print("got     ", got)
sys.exit(isinstance(got, IndexError))
