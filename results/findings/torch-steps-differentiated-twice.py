"""Two steps that are told to be differentiable cannot be differentiated: a state is overwritten.

Adamax, Rprop, RMSprop that takes the mean off, and Adam by the largest mean write into tensors of
their state that the first step has saved.
"""

import sys

import torch

WAYS = {"Adamax": {}, "Rprop": {}, "RMSprop": {"centered": True}, "Adam": {"amsgrad": True}}


def differentiated(name, options):
    """Say whether the place after two steps can be differentiated for what led there."""
    leaves = [torch.tensor([x], requires_grad=True) for x in (1.0, 2.0, 3.0)]
    place = leaves[0] * 1
    optimizer = getattr(torch.optim, name)([place], lr=0.25, differentiable=True, **options)
    for gradient in leaves[1:]:
        place.retain_grad()
        place.grad = gradient * 1
        optimizer.step()
    try:
        torch.autograd.grad(place.sum(), leaves, materialize_grads=True)
    except RuntimeError as error:
        return str(error).partition(":")[0]
    return True


got = {name: differentiated(name, options) for name, options in WAYS.items()}
expected = dict.fromkeys(WAYS, True)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
