"""A view of a constant refuses to be written once its base holds what requires grad.

A write to the base passes its history on to every view: `v` is no leaf then, and asking for its
`grad_fn` first makes the same write succeed.
"""

import sys

import torch


def write(*, look):
    """Write into a view whose base was written with a tensor that requires grad."""
    base = torch.zeros(3)
    v = base[:2]
    base.add_(torch.ones(3, requires_grad=True) * 2)
    if look:
        _ = v.grad_fn
    try:
        v.mul_(5)
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return base.tolist()


expected = [10.0, 10.0, 2.0]
assert write(look=True) == expected
got = write(look=False)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
