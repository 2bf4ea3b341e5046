"""grad refuses a tensor if another one that was computed from it is asked for with it."""

import sys

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
y = x * x
z = y * 3
try:
    got = [gradient.tolist() for gradient in paddle.grad(z, [x, y, z])]
except Exception as error:
    got = str(error).splitlines()[0]
expected = [[12.0], [3.0], [1.0]]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
