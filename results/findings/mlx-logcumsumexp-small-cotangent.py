"""The gradient of logcumsumexp loses digits of a small cotangent: its logarithm is taken.

A gradient is linear in its cotangent, and a power of two makes no rounding. The logarithm of 2**-60
is -41.6, and e to what was rounded beside it is off by as many units of rounding.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

x = mx.array([0.75, 0.75])
small = 2.0**-60
expected = 1.0
_, (gradient,) = mx.vjp(lambda x: mx.logcumsumexp(x), [x], [mx.array([0.0, 2 * small])])
got = gradient[1].item() / small
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 4e-7)
