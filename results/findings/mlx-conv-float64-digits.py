"""conv2d of float64 is computed in float32.

Searched for on 2026-11-23; https://github.com/ml-explore/mlx/issues/3047 is about other functions.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

numbers = mx.array([0.1, 0.7, 1.9, 0.3], dtype=mx.float64)
expected = sum(x * x for x in (0.1, 0.7, 1.9, 0.3))
got = mx.conv2d(numbers.reshape(1, 2, 2, 1), numbers.reshape(1, 2, 2, 1)).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14)
