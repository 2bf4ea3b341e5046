"""selu, hardsigmoid and multi_margin_loss are right to eight digits only, in float64.

Constants of theirs have been float32 on the way; so is the slope that hardsigmoid is given. Searched
in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle
from paddle.nn import functional

one, none = paddle.to_tensor([1.0], "float64"), paddle.zeros([1, 3], "float64")
expected = {"selu": 1.0507009873554805, "hardsigmoid": 2 / 3, "multi_margin_loss": 2 / 3}
got = {
    "selu": functional.selu(one).item(),
    "hardsigmoid": functional.hardsigmoid(one, slope=1 / 6).item(),
    "multi_margin_loss": functional.multi_margin_loss(none, paddle.to_tensor([0])).item(),
}
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(got[name] - value) > 1e-12 for name, value in expected.items()))
