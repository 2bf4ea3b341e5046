"""The gradient of a mean pool is right to eight digits only, in float64: 1/3 has been a float32.

local_response_norm is made of it. Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([[[1.0, 2.0, 3.0]]], "float64", stop_gradient=False)
paddle.nn.functional.avg_pool1d(x, 3).sum().backward()
expected, got = 1 / 3, x.grad[0, 0, 0].item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-12)
