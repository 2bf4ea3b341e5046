"""A product with a constant saves the other factor too, and is refused once that is written over."""

import sys

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
y = paddle.to_tensor([3.0]) * x
x.detach().zero_()
try:
    y.backward()
    got = x.grad.tolist()
except Exception as error:
    got = str(error).splitlines()[0]
expected = [3.0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
