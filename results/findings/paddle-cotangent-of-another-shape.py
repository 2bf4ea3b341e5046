"""backward takes a cotangent that is too short, and reads on in the memory behind it."""

import sys

import paddle

x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
try:
    paddle.autograd.backward(x * x, paddle.to_tensor([1.0]))
    got = x.grad.tolist()
except Exception:
    got = "refused"
expected = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
