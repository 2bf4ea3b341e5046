"""A view of a constant refuses to be written once its base holds what requires grad.

A write to the base passes its history on to every view: `v` is no leaf then, and asking for its
`grad_fn` first makes the same write succeed. So it does for `retain_grad`, which else does nothing.
"""

import sys

import torch


def view(*, look):
    """Return a view whose base was written with a tensor that requires grad, and the base."""
    base = torch.zeros(3)
    v = base[:2]
    base.add_(torch.ones(3, requires_grad=True) * 2)
    if look:
        _ = v.grad_fn
    return v, base


def write(*, look):
    """Write into it."""
    v, base = view(look=look)
    try:
        v.mul_(5)
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return base.tolist()


def retain(*, look):
    """Retain its gradient."""
    v, _ = view(look=look)
    v.retain_grad()
    v.backward(torch.ones(2))
    return None if v.grad is None else v.grad.tolist()


expected = [10.0, 10.0, 2.0], [1.0, 1.0]
assert (write(look=True), retain(look=True)) == expected
got = write(look=False), retain(look=False)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
