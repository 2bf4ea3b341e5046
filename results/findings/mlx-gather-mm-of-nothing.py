"""The gradient of gather_mm is refused where no matrices are chosen of none.

The product itself is computed, and matmul has both. Searched for in the issues of the library on
2026-12-01: nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)
x, y, which = mx.zeros((0, 2, 3)), mx.zeros((0, 3, 2)), mx.arange(0)


def product(x):
    """Multiply matrices of which there are none."""
    return mx.gather_mm(x, y, which, which)


assert product(x).shape == (0, 2, 2)
expected = x.shape
try:
    got = mx.vjp(product, [x], [mx.zeros((0, 2, 2))])[1][0].shape
except ValueError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
