"""Each access to .grad returns another object: an attribute that is set on it is lost."""

import sys

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
(x * x).backward()
expected, got = True, x.grad is x.grad
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
