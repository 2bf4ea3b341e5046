"""hardshrink keeps what is just at the threshold, where its documentation says zero.

x where x > threshold, x where x < -threshold, otherwise 0: at the threshold it is 0. Searched in
PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([-1.0, 1.0])
expected, got = [0.0, 0.0], paddle.nn.functional.hardshrink(x, 1.0).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
