"""Backward frees what saved no value, such as x + 1: a second result through it is refused."""

import sys

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
y = x + 1
(y * y).backward()
try:
    (y * y).backward()
    got = x.grad.tolist()
except Exception as error:
    got = str(error).splitlines()[0]
expected = [12.0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
