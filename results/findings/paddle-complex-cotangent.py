"""A complex cotangent is taken for a real result."""

import sys

import paddle

leaf = paddle.to_tensor([1.0], stop_gradient=False)
expected, got = "refused", "taken"
try:
    (leaf * 3).backward(paddle.to_tensor([1j]))
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
