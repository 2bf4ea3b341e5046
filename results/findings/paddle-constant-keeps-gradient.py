"""A constant may be told to keep its gradient, which it never has."""

import sys

import paddle

constant = paddle.to_tensor([1.0])
expected, got = "refused", "taken"
try:
    constant.retain_grads()
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
