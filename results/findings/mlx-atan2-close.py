"""The gradient of atan2 is infinite where the squares of its arguments underflow, in float32.

At y = x its derivative by y is 1 / (2 x), a number of the dtype; the rule divides by x * x + y * y.
Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = y = mx.array(2.0**-100)
expected = 2.0**99
got = mx.grad(mx.arctan2)(y, x).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
