"""The gradient of the smaller argument of logaddexp is zero where it is a number of the dtype.

It is e ** (y - x) for y far below x; what is computed is 1 less the gradient of the larger one.
Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import math
import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected = math.exp(-30)
got = mx.grad(mx.logaddexp, 1)(mx.array(30.0), mx.array(0.0)).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-5 * expected)
