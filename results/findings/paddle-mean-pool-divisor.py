"""avg_pool2d and avg_pool3d do not divide by the number that they are given where a window juts out.

They are documented to divide by it. They multiply the mean by the size of the window instead, but
the mean is one of the entries inside the image alone. Searched in PaddlePaddle/Paddle on 2026-11-23:
nothing.
"""

import sys

import paddle
from paddle.nn import functional

flat, deep = paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 2, 2, 2])
expected = {"avg_pool2d": 1 / 4, "avg_pool3d": 1 / 8}
got = {
    "avg_pool2d": functional.avg_pool2d(flat, 2, 2, 1, divisor_override=4).flatten()[0].item(),
    "avg_pool3d": functional.avg_pool3d(deep, 2, 2, 1, divisor_override=8).flatten()[0].item(),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
