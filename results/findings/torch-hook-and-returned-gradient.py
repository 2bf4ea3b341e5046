"""`torch.autograd.grad` returns a gradient that a hook replaced, or the one before the hook.

Asked for `y` alone it returns what the hook of `y` has made of the gradient. Asked for `x` as well,
which lies beyond `y`, it returns the gradient of `y` as it was before, though the hook was called.
`backward` with `retain_grad` keeps the replaced one either way.
"""

import sys

import torch


def of_y(*, also_of_x):
    """Return the gradient of `y`, whose hook makes ten times as much of it."""
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    return torch.autograd.grad(x * y, [y, x] if also_of_x else [y])[0].item()


expected = of_y(also_of_x=False)
got = of_y(also_of_x=True)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
