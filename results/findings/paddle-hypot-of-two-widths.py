"""hypot of float32 and float64 squares the narrow operand in float32: half of the digits are lost.

Searched for in the issues of the library on 2026-11-25: nothing was found.
"""

import math
import sys

import paddle

# Its square is none of the numbers of float32.
odd = 1 + 2.0**-12 + 2.0**-11
got = paddle.hypot(paddle.to_tensor([odd], "float32"), paddle.to_tensor([1.5], "float64"))
expected = ["paddle.float64", math.hypot(odd, 1.5)]
found = [str(got.dtype), got.item()]
print("expected", expected)
print("got     ", found)
sys.exit(found[0] != expected[0] or abs(found[1] - expected[1]) > 1e-12)
