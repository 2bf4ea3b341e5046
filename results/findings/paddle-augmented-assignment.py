"""x += 1 makes a new tensor, although tensors can be written: other names of x keep the old one."""

import sys

import paddle

x = other = paddle.zeros([2])
x += 1
expected, got = [1.0, 1.0], other.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
