"""matmul: where both operands are repeated along axes of the batch the gradient is refused."""

import sys

import paddle

x = paddle.ones([2, 1, 2, 3])
y = paddle.ones([3, 3, 2])
x.stop_gradient = y.stop_gradient = False
expected = [[2, 1, 2, 3], [3, 3, 2]]
try:
    paddle.matmul(x, y).sum().backward()
    got = [list(x.grad.shape), list(y.grad.shape)]
except Exception as error:
    got = f"{type(error).__name__}: {str(error).splitlines()[0]}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
