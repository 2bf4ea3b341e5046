"""Mapped over its input and, within, over its target, a mean loss is refused.

It flattens both as if they had equally many axes behind the mapped one; where only one of the two
is mapped at a level they have not.
"""

import sys

import torch
from torch.func import vmap
from torch.nn.functional import huber_loss, mse_loss, smooth_l1_loss

x = torch.arange(12.0).reshape(2, 2, 3)
target = torch.ones(2, 2, 3)


def apart(loss):
    """Map a loss over its input and, within, over its target."""
    return vmap(lambda a: vmap(lambda b: loss(a, b))(target))(x)


shown = 0
for loss in (mse_loss, smooth_l1_loss, huber_loss):
    expected = torch.stack([torch.stack([loss(a, b) for b in target]) for a in x])
    try:
        got = apart(loss)
    except RuntimeError as error:
        got = error
    print("expected", expected.flatten().tolist())
    print("got     ", got)
    shown += not (isinstance(got, torch.Tensor) and torch.equal(got, expected))
sys.exit(shown > 0)
