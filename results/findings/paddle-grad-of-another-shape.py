"""A tensor of another shape is taken for .grad."""

import sys

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
try:
    x.grad = paddle.to_tensor([1.0, 2.0, 3.0])
    got = x.grad.tolist()
except Exception:
    got = "refused"
expected = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
