"""multiply: of a factor repeated no times the second derivative has the shape of the result."""

import sys

import numpy as np
import paddle

x = paddle.to_tensor([7.75], stop_gradient=False)
y = paddle.to_tensor(np.zeros((0,), np.float32), stop_gradient=False)
start = paddle.to_tensor(np.zeros((0,), np.float32), stop_gradient=False)
(first,) = paddle.grad(x * y, [y], start, create_graph=True)
(second,) = paddle.grad(first.sum(), [x])
expected, got = [1], list(second.shape)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
