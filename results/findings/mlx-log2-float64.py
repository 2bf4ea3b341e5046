"""The gradients of log2 and log10 of float64 have the digits of float32.

The results have all of theirs. What divides the gradient is log(2) or log(10) of float32. Searched
for in the issues of the library on 2026-12-01: nothing was found.
"""

import math
import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)
expected, got = {}, {}
for function, base in ((mx.log2, 2), (mx.log10, 10)):
    x = mx.array(3.0, mx.float64)
    assert abs(function(x).item() - math.log(3, base)) < 1e-15
    expected[base] = 1 / (3 * math.log(base))
    got[base] = mx.grad(function)(x).item()
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(got[base] - expected[base]) > 1e-14 for base in expected))
