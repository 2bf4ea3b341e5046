"""exp of -inf is 5.6e-309 in float64 where there are several entries, and 0 where there is one.

The limit is 0. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import math
import sys

import paddle

expected = [0.0] * 5
got = paddle.exp(paddle.full([5], -math.inf, dtype="float64")).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
