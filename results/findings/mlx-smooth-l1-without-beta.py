"""smooth_l1_loss with a beta of 0 is the absolute distance, and its gradient is nan.

The square over beta is computed where it is not chosen as well, and nan times zero is nan. Searched
for on 2026-11-22; nothing was found.
"""

import sys

from mlx import core as mx
from mlx.nn import losses

mx.set_default_device(mx.cpu)


loss = lambda x: losses.smooth_l1_loss(x, mx.zeros(2), beta=0.0, reduction="sum")  # noqa: E731
x = mx.array([1.0, -2.0])
assert loss(x).item() == 3
expected = [1.0, -1.0]
got = mx.grad(loss)(x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
