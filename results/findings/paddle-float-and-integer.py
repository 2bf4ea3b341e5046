"""A tensor of floats and one of integers cannot be added, though x + 2 can."""

import sys

import paddle

x = paddle.to_tensor([1.0])
try:
    got = (x + paddle.to_tensor([2])).tolist()
except Exception as error:
    got = str(error).splitlines()[0]
expected = [3.0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
