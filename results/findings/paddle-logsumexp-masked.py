"""logsumexp of a row of -inf is nan, and logcumsumexp begins one with the lowest number.

The sum of no powers of e is 0, and its logarithm -inf. Searched in PaddlePaddle/Paddle on
2026-11-23: nothing; logaddexp has the same, https://github.com/PaddlePaddle/Paddle/issues/79462
"""

import math
import sys

import paddle

x = paddle.to_tensor([-math.inf, -math.inf])
got = {
    "logsumexp": paddle.logsumexp(x).item(),
    "logcumsumexp": paddle.logcumsumexp(x)[0].item(),
}
expected = dict.fromkeys(got, -math.inf)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
