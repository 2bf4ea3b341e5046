"""The gradients of elu and expm1 are the result plus 1: 0 where that is -1 but for rounding.

At -40 they are e ** -40, a normal number. Searched in PaddlePaddle/Paddle on 2026-11-29 for the
gradients of elu and expm1 far below zero: nothing.
"""

import math
import sys

import paddle

got = []
for function in (paddle.nn.functional.elu, paddle.expm1):
    x = paddle.to_tensor([-40.0], dtype="float64", stop_gradient=False)
    function(x).sum().backward()
    got.append(x.grad.item())
print("expected", [math.exp(-40)] * 2)
print("got     ", got)
sys.exit(not all(math.isclose(g, math.exp(-40), rel_tol=1e-9) for g in got))
