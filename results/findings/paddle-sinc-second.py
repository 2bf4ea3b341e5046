"""The second derivative of sinc at 0 is 0, where it is -pi**2 / 3.

PyTorch's is https://github.com/pytorch/pytorch/issues/196703; searched in PaddlePaddle/Paddle on
2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([0.0], "float64", stop_gradient=False)
(first,) = paddle.grad(paddle.sinc(x), [x], create_graph=True)
(second,) = paddle.grad(first, [x])
expected, got = -3.2899, round(second.item(), 4)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
