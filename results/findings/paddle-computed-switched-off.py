"""A tensor that was computed can be told that it requires no gradient."""

import sys

import paddle

computed = paddle.to_tensor([1.0], stop_gradient=False) * 2
expected, got = "refused", "taken"
try:
    computed.requires_grad_(False)
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
