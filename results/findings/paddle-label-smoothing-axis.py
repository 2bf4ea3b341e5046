"""cross_entropy with label_smoothing takes the last axis for that of classes, whatever axis says.

Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x, labels = paddle.zeros([2, 3, 2]), paddle.to_tensor([[0, 1], [0, 2]])
expected = 1.0986
try:
    loss = paddle.nn.functional.cross_entropy(x, labels, axis=1, label_smoothing=0.25)
    got = round(loss.item(), 4)
except Exception as error:
    got = f"{type(error).__name__}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
