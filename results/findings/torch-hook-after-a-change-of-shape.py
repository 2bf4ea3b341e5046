"""A hook put on a tensor after its shape was changed in place hears the gradient of before.

The documentation (Autograd mechanics, on hooks of tensors that are modified in place) gives hooks of
before the gradient of the former value, and hooks of afterwards that of the new one; for `mul_` it is
so. After `unsqueeze_`, `squeeze_` and `t_` a new hook is called with the gradient of the former
shape, if there was a hook already.

Searched for register_hook with unsqueeze_, squeeze_ and t_ on 2026-11-22: nothing was found.
"""

import sys

import torch


def heard(change):
    """Return the shapes that a hook hears that is put on a tensor after a change in place."""
    shapes = []
    y = torch.ones(2, 3, requires_grad=True) * 2
    y.register_hook(lambda _: None)
    change(y)
    y.register_hook(lambda g: shapes.append(tuple(g.shape)))
    y.sum().backward()
    return shapes


got = [heard(change) for change in (torch.Tensor.t_, lambda y: y.unsqueeze_(0))]
expected = [[(3, 2)], [(1, 2, 3)]]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
