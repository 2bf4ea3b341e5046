"""compat.split: a tensor without entries is cut into no piece, so that concat cannot undo it."""

import sys

import numpy as np
import paddle

expected, got = 1, len(paddle.compat.split(paddle.to_tensor(np.zeros((0,))), 1, 0))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
