"""scatter takes None for the name of a reduction, and overwrites."""

import sys

import paddle

zeros, place = paddle.zeros([1]), paddle.to_tensor([0])
expected, got = "refused", "taken"
try:
    paddle.scatter(zeros, 0, place, zeros, reduce=None)
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
