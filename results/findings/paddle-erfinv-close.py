"""erfinv loses its digits close to 0: in float32 it is 0 at 2 ** -27, where it is 6.6e-9.

It is half the square root of pi times its argument there. Searched in PaddlePaddle/Paddle on
2026-11-23: nothing.
"""

import math
import sys

import paddle

x = paddle.to_tensor([2.0**-27])
expected, got = math.sqrt(math.pi) / 2 * 2.0**-27, paddle.erfinv(x).item()
print("expected", expected)
print("got     ", got)
sys.exit(not math.isclose(got, expected, rel_tol=1e-6))
