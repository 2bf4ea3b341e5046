"""reshape copies a number, though it is documented to share data with its argument, as it does else.

Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

got = {}
for name, shape in (("a number", []), ("a vector", [1])):
    x = paddle.ones(shape)
    reshaped = paddle.reshape(x, [1, 1])
    x.zero_()
    got[name] = reshaped.item()
expected = dict.fromkeys(got, 0.0)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
