"""elu: what is differentiated of its gradient is nan from where the exponential overflows.

Above zero elu is the identity: its gradient is the cotangent. Searched in PaddlePaddle/Paddle on
2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([89.0], stop_gradient=False)
cotangent = paddle.to_tensor([1.0], stop_gradient=False)
(gradient,) = paddle.grad(paddle.nn.functional.elu(x), [x], [cotangent], create_graph=True)
expected, got = 1.0, paddle.grad(gradient, [cotangent])[0].item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
