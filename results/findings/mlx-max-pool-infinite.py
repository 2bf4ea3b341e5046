"""Part of the gradient of a largest entry that is -inf is lost in the padding, which is -inf as well.

Of finite entries each receives its gradient, whatever is padded. Searched for in the issues of the
library on 2026-12-01: nothing was found.
"""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)


def pooled(x):
    """Reduce windows of two entries, around which there is padding."""
    return nn.MaxPool1d(2, 1, padding=1)(x.reshape(1, -1, 1)).sum()


expected, got = {}, {}
for least in (-1.0, -float("inf")):
    x = mx.array([least, 0.0, 1.0])
    expected[least] = [1.0, 1.0, 2.0]
    got[least] = mx.grad(pooled)(x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
