"""lp_pool1d and lp_pool2d compute in float32, whatever they are given: float64 keeps eight digits.

Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([[[0.75, 0.3]]], dtype="float64")
got = {
    "lp_pool1d": functional.lp_pool1d(x, 1.0, 2).item(),
    "lp_pool2d": functional.lp_pool2d(x.unsqueeze(2), 1.0, [1, 2]).item(),
}
expected = dict.fromkeys(got, 1.05)
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(value - 1.05) > 1e-12 for value in got.values()))
