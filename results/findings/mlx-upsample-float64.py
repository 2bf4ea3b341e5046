"""nn.Upsample of float64 weighs entries by numbers of float32.

So the result has the digits of float32 and the name of float64. Searched for in the issues of the
library on 2026-12-01: nothing was found of float64. The weights are those of
https://github.com/ml-explore/mlx/pull/414 and https://github.com/ml-explore/mlx/pull/967.
"""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
x = mx.array([0.0, 1.0, 0.0], mx.float64).reshape(1, 3, 1)
made = nn.Upsample(5 / 3, "linear", align_corners=False)(x)
assert made.dtype == mx.float64
expected = 0.4  # the second of five entries lies at 0.4
got = made.reshape(-1)[1].item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14)
