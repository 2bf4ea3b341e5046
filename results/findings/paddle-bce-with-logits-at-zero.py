"""binary_cross_entropy_with_logits: at a logit of 0, where it is smooth, the gradient is off by 1."""

import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([0.0, 0.0], dtype="float64", stop_gradient=False)
target = paddle.to_tensor([0.0, 1.0], dtype="float64")
functional.binary_cross_entropy_with_logits(x, target, reduction="sum").backward()
expected, got = [0.5, -0.5], x.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
