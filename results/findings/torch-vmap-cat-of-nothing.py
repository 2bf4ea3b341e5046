"""Under vmap, cat of vectors without entries does not depend on the slice: writes are refused.

Each slice is a vector of length zero, which cat passes over, and with it the axis that is mapped:
https://github.com/pytorch/pytorch/issues/86918 is about its passing over the axis asked for.
"""

import sys

import torch


def written(x):
    """Write over a result that depends on the slice."""
    y = torch.cat([x, x])
    y.add_(x)
    return y


x = torch.zeros(2, 0)
print("expected", torch.stack([written(each) for each in x]).tolist())
try:
    print("got     ", torch.vmap(written)(x).tolist())
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
