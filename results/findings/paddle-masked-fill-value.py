"""masked_fill with a tensor for the value: its gradient is zero beside that of the other tensor.

Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
value = paddle.to_tensor(0.0, stop_gradient=False)
paddle.masked_fill(x, paddle.to_tensor([True, False]), value).sum().backward()
expected, got = 1.0, value.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
