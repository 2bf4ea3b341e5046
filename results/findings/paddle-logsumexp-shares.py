"""The gradients of logsumexp and logcumsumexp do not add up to 1 far out: equal entries have all each.

What is added to all entries is added to the result, whose gradient therefore adds up to 1. The rule
takes e to what an entry is below the result, and beside a large entry the logarithm of 4 is lost.
Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

got = {}
for name in ("logsumexp", "logcumsumexp"):
    x = paddle.full([4], 2.0**60, dtype="float64")
    x.stop_gradient = False
    getattr(paddle, name)(x).flatten()[-1].backward()
    got[name] = x.grad.sum().item()
expected = dict.fromkeys(got, 1.0)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
