"""The gradient of silu is nan far below zero, where it is 0.

Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([-(2.0**100)], stop_gradient=False)
paddle.nn.functional.silu(x).sum().backward()
expected, got = 0.0, x.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
