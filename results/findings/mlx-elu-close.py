"""elu of a small negative number is zero, in float32.

It is e ** x - 1, of which nothing is left close to zero unless it is computed as expm1.
"""

import sys

import mlx.core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
expected = -(2.0**-67)
got = nn.elu(mx.array(expected)).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
