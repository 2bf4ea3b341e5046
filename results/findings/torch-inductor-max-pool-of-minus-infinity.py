"""The gradient of a padded window whose entries are -inf is lost or refused, compiled by Inductor.

The padding is -inf, too, and is named as the place of the largest entry where it comes first. The
gradient of a volume loses what belongs to such windows in silence; that of a line or of an image
is refused while it is computed, for an index that is out of bounds. Without the compiler the
gradient goes to an entry of the window.
Searched for in the issues of the library on 2026-11-30: nothing was found.
"""

import sys

import torch
from torch.nn import functional

POOLS = {
    "max_pool1d": (functional.max_pool1d, (1, 1, 4)),
    "max_pool2d": (functional.max_pool2d, (1, 1, 2, 2)),
    "max_pool3d": (functional.max_pool3d, (1, 1, 2, 2, 2)),
}


def gradients(pool, shape, compiler=lambda function: function):
    """What all windows, each of two entries in each direction, hand back in all."""
    x = torch.full(shape, -torch.inf, requires_grad=True)
    try:
        compiler(lambda x: pool(x, 2, 2, 1))(x).sum().backward()
    except RuntimeError as error:
        return "index out of bounds" if "index out of bounds" in str(error) else str(error)
    return x.grad.sum().item()


expected = {name: gradients(*each) for name, each in POOLS.items()}
got = {name: gradients(*each, torch.compile) for name, each in POOLS.items()}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
