"""A convolution that is padded to the same size passes over its dilation.

With the same padding by number it is dilated.
Searched in PaddlePaddle/Paddle on 2026-11-23: nothing; its converter refuses such convolutions, in
https://github.com/PaddlePaddle/Paddle2ONNX/issues/1356
"""

import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([[[1.0, 2.0, 4.0, 8.0]]])
weight = paddle.to_tensor([[[1.0, 0.0, 100.0]]])
expected = functional.conv1d(x, weight, padding=2, dilation=2).numpy().tolist()
got = functional.conv1d(x, weight, padding="same", dilation=2).numpy().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
