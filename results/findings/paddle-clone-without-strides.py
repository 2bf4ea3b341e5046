"""clone keeps the strides of no transposed tensor: what it makes lies in row-major order."""

import sys

import paddle

transposed = paddle.ones([2, 3]).t()
expected, got = list(transposed.strides), list(transposed.clone().strides)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
