"""elu loses its digits close to 0, where it computes exp(x) - 1: in float32 it is 0 there.

Below zero elu is expm1, which PaddlePaddle has. Searched in PaddlePaddle/Paddle on 2026-11-22:
nothing.
"""

import sys

import paddle

x = paddle.to_tensor([-(2.0**-27)])
expected, got = paddle.expm1(x).item(), paddle.nn.functional.elu(x).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
