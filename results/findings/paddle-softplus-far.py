"""softplus and mish are 0 far below zero: they take the logarithm of 1 + e ** x, where that is 1.

log1p, which PaddlePaddle has, keeps e ** x. Searched in PaddlePaddle/Paddle on 2026-11-23: softplus
was given log1p, but not on the CPU: https://github.com/PaddlePaddle/Paddle/pull/75363
"""

import math
import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([-40.0], dtype="float64")
softplus = paddle.log1p(paddle.exp(x))
expected = {"softplus": softplus.item(), "mish": (x * paddle.tanh(softplus)).item()}
got = {name: getattr(functional, name)(x).item() for name in expected}
print("expected", expected)
print("got     ", got)
sys.exit(not all(math.isclose(got[name], value) for name, value in expected.items()))
