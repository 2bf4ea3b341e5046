"""matmul of two vectors: what is differentiated of the gradient has an axis more than the cotangent.

So has linear of PyTorch's names. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x, y = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.to_tensor([3.0, 4.0])
cotangent = paddle.to_tensor(1.0, stop_gradient=False)
(gradient,) = paddle.grad(paddle.matmul(x, y), [x], [cotangent], create_graph=True)
(second,) = paddle.grad(gradient.sum(), [cotangent])
expected, got = list(cotangent.shape), list(second.shape)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
