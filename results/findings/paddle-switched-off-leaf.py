"""A leaf that is switched off still receives a gradient from what was computed before."""

import sys

import paddle

x, y = (paddle.to_tensor([n], stop_gradient=False) for n in (2.0, 3.0))
product = x * x * y
x.stop_gradient = True
product.backward()
expected, got = None, None if x.grad is None else x.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
