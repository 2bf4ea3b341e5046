"""A tensor of integers may require a gradient, though it cannot have one."""

import sys

import paddle

integers = paddle.to_tensor([1])
expected, got = "refused", "taken"
try:
    integers.requires_grad_()
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
