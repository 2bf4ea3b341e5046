"""cumprod: the second derivative is nan where a factor is zero.

The first one is right.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)


def slope(x):
    """The gradient of x0 x1 x2, which is (x1 x2, x0 x2, x0 x1)."""
    return mx.vjp(lambda z: mx.cumprod(z, axis=0), [x], [mx.array([0.0, 0.0, 1.0])])[1][0]


x = mx.array([2.0, 0.0, 3.0])
expected = [0.0, 3.0, 0.0]  # of x1 x2, by x0, x1 and x2
got = mx.vjp(slope, [x], [mx.array([1.0, 0.0, 0.0])])[1][0].tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
