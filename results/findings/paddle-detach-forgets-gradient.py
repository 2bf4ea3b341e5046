"""detach_ of a leaf forgets the gradient that it has, which PyTorch's keeps.

The documentation says nothing of it. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
(x * 2).backward()
x.detach_()
expected, got = 2.0, None if x.grad is None else x.grad.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
