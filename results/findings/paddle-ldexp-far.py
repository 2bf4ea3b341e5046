"""ldexp overflows on the way: 0 times a power of 2 that is no float32 is nan, 2 ** -10 times one inf.

Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x, exponent = paddle.to_tensor([0.0, 2.0**-10]), paddle.to_tensor([130.0, 130.0])
expected, got = [0.0, 2.0**120], paddle.ldexp(x, exponent).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
