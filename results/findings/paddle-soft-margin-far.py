"""soft_margin_loss is infinite, and its gradient nan, where the loss is a number like 800.

It takes the logarithm of 1 + e ** x; softplus, which is the same function, gives x.
Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([-800.0], dtype="float64", stop_gradient=False)
loss = functional.soft_margin_loss(x, paddle.to_tensor([1.0], dtype="float64"))
loss.backward()
expected, got = [functional.softplus(-x).item(), -1.0], [loss.item(), x.grad.item()]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
