"""index_fill: where a row is named twice, its gradient counts twice for the number that is filled in.

The number is written there once. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing; in PyTorch
the same was mended: https://github.com/pytorch/pytorch/issues/57006
"""

import sys

import paddle

number = paddle.to_tensor(2.0, stop_gradient=False)
filled = paddle.index_fill(paddle.zeros([3]), paddle.to_tensor([0, 0]), 0, number)
filled.sum().backward()
expected, got = 1.0, number.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
