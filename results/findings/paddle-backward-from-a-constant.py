"""backward from a constant does nothing, without a word."""

import sys

import paddle

constant = paddle.to_tensor([1.0])
expected, got = "refused", "taken"
try:
    constant.backward()
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
