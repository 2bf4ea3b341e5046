"""prod: the derivative by a factor of zero is nan; it is the product of the others."""

import sys

import paddle

x = paddle.to_tensor([2.0, 0.0, 3.0], stop_gradient=False)
paddle.prod(x).backward()
expected, got = [0.0, 6.0, 0.0], x.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
