"""A tensor that retains its gradient fails an internal assertion when it is written in place.

It does if it is not the first result of its operation, or if its shape was changed in place before.
"""

import sys

import torch


def second_result():
    """Take the second result of an operation that has two."""
    mean = torch.std_mean(torch.tensor([1.0, 3.0], requires_grad=True))[1]
    mean.retain_grad()
    return mean


def turned():
    """Take a result that has got another shape."""
    y = torch.tensor([1.0, 3.0], requires_grad=True) * 2
    y.retain_grad()
    return y.unsqueeze_(0)


def written(y):
    """Return the gradient that is retained of what `y` is after a write."""
    try:
        y.mul_(3)
        y.sum().backward()
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return y.grad.tolist()


expected = [1.0, [[1.0, 1.0]]]
got = [written(second_result()), written(turned())]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
