"""count_nonzero: the count of a tracked tensor is an integer that requires a gradient."""

import sys

import paddle

x = paddle.to_tensor([0.0, 2.0], stop_gradient=False)
expected, got = True, paddle.count_nonzero(x).stop_gradient
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
