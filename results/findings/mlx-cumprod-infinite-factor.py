"""cumprod: an infinite factor has nan for its gradient, where the others are finite.

The gradient of prod is right there. Searched for in the issues of the library on 2026-11-26: not
found.
"""

import math
import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

expected = 9.0
x = mx.array([math.inf, 2.0, 3.0])
got = mx.vjp(lambda z: mx.cumprod(z, axis=0), [x], [mx.array([1.0, 1.0, 1.0])])[1][0][0].item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
