"""The gradient of Tensor.unfold keeps one of the windows that an entry is in, instead of the sum.

Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
paddle.unfold(x, 0, 2, 1).sum().backward()
expected, got = [1.0, 2.0, 1.0], x.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
