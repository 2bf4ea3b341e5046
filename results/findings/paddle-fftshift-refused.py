"""fftshift and ifftshift along one axis end in an exception, with NumPy 2.4.

Along two they do not. They make a tensor with an axis into a number. Searched in PaddlePaddle/Paddle on 2026-11-22:
nothing.
"""

import sys

import paddle

expected = [2.0, 1.0]
try:
    got = paddle.fft.fftshift(paddle.to_tensor([1.0, 2.0])).tolist()
except Exception as error:
    got = type(error).__name__
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
