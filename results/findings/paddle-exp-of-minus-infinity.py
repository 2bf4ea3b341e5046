"""exp of -inf is 5.6e-309 where eight entries are computed at once; of one entry it is 0.

Searched in PaddlePaddle/Paddle on 2026-11-29 for exp, infinity and underflow: nothing.
"""

import sys

import paddle

got = [paddle.exp(paddle.full([n], -float("inf"), "float64"))[0].item() for n in (1, 8)]
print("expected", [0.0, 0.0])
print("got     ", got)
sys.exit(any(got))
