"""permute takes the order of one axis for that of two, and leaves the matrix as it is."""

import sys

import paddle

try:
    got = list(paddle.permute(paddle.ones([2, 3]), (0,)).shape)
except Exception:
    got = "refused"
expected = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
