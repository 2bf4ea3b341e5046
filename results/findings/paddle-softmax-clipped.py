"""softmax and what is made of it take no entry for more than 64 below the largest of its row.

The share of what -inf masks is e ** -64 and not 0, its logarithm -64, and the cross entropy of an
entry 100 below the other is 64. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing on the CPU.
An operation on GPUs no longer does it: https://github.com/PaddlePaddle/Paddle/pull/53547
"""

import math
import sys

import paddle
from paddle.nn import functional

masked = paddle.to_tensor([0.0, -math.inf], dtype="float64")
row = paddle.to_tensor([[0.0, -100.0]], dtype="float64")
expected = {"softmax": 0.0, "log_softmax": -math.inf, "cross_entropy": 100.0}
got = {
    "softmax": functional.softmax(masked)[1].item(),
    "log_softmax": functional.log_softmax(masked)[1].item(),
    "cross_entropy": functional.cross_entropy(row, paddle.to_tensor([1])).item(),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
