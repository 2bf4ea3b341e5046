"""The gradient of celu is nan from where the exponential overflows, where celu is the identity.

Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([89.0], stop_gradient=False)
paddle.nn.functional.celu(x).sum().backward()
expected, got = 1.0, x.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
