"""nonzero and argwhere refuse a number: the places of its one entry have no coordinate.

Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

expected = {"nonzero": [1, 0], "argwhere": [1, 0]}
got = {}
for name in expected:
    try:
        got[name] = list(getattr(paddle, name)(paddle.to_tensor(3.0)).shape)
    except Exception as error:
        got[name] = type(error).__name__
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
