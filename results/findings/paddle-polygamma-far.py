"""polygamma(x, 1) is 0 in float32 at 2 ** 100, where it is 2 ** -100: x ** -2 underflows on the way.

So is the derivative of digamma, which it is. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([2.0**100], stop_gradient=False)
paddle.digamma(x).backward()
got = {"polygamma": paddle.polygamma(x, 1).item(), "the gradient of digamma": x.grad.item()}
expected = dict.fromkeys(got, 2.0**-100)
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(value * 2.0**100 - 1) > 1e-5 for value in got.values()))
