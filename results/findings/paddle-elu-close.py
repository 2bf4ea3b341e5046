"""elu, celu and selu lose their digits close to 0, where they compute exp(x) - 1: they are 0 there.

Below zero the first two are expm1, which PaddlePaddle has, and selu 1.7581 times as much. Searched
in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([-(2.0**-27)])
exact = paddle.expm1(x).item()
expected = {"elu": exact, "celu": exact, "selu": 1.7580993408473768 * exact}
got = {name: getattr(functional, name)(x).item() for name in expected}
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(got[name] / value - 1) > 1e-6 for name, value in expected.items()))
