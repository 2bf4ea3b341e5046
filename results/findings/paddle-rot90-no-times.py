"""rot90 by no right angle returns what it was given; by others it returns a copy.

A write to the result shows in the tensor, or does not. Searched in PaddlePaddle/Paddle on
2026-11-22: nothing.
"""

import sys

import paddle

got = {}
for times in (0, 4, 2):
    x = paddle.to_tensor([[1.0, 2.0]])
    paddle.rot90(x, times).zero_()
    got[times] = x.tolist()
expected = {times: [[1.0, 2.0]] for times in got}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
