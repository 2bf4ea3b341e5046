"""The error function of small arguments is zero, in float32, in arrays of several entries.

It is close to 2 x / sqrt(pi) there.
Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import math
import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.full((8,), 2.0**-27)
expected = 2.0**-26 / math.sqrt(math.pi)
got = mx.erf(x)[0].item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-5 * expected)
