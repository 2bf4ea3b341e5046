"""gammaincc and gammainc: what is broadcast is read beyond its end, or as something else.

Of operands repeated in full the values are right. Searched in PaddlePaddle/Paddle on 2026-11-22:
nothing.
"""

import sys

import paddle

a, x = paddle.to_tensor([0.5, 0.5], "float64"), paddle.to_tensor([0.5, 4.0], "float64")
expected = paddle.gammaincc(a, x).tolist()
got = paddle.gammaincc(paddle.to_tensor(0.5, "float64"), x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
