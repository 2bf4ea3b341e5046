"""Assigning to rows of a transposed tensor by a list overwrites other rows, without a word."""

import sys

import numpy as np
import paddle

x = paddle.to_tensor(np.ones((3, 2))).t()
x[[0]] = 0.0
expected, got = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], x.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
