"""elu and celu: what is differentiated of the gradient is nan from where the exponential overflows.

Above zero both are the identity: the gradient is the cotangent. Searched in PaddlePaddle/Paddle on
2026-11-22: nothing.
"""

import sys

import paddle
from paddle.nn import functional

got = {}
for name in ("elu", "celu"):
    x = paddle.to_tensor([89.0], stop_gradient=False)
    cotangent = paddle.to_tensor([1.0], stop_gradient=False)
    value = getattr(functional, name)(x)
    (gradient,) = paddle.grad(value, [x], [cotangent], create_graph=True)
    got[name] = paddle.grad(gradient, [cotangent])[0].item()
expected = dict.fromkeys(got, 1.0)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
