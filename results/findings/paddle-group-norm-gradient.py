"""group_norm on the CPU: the gradient is wrong where the weight of a channel is zero.

Differences of PaddlePaddle's own values say what the
gradient is. Searched in PaddlePaddle/Paddle on 2026-11-22: nothing on wrong gradients on the CPU.
"""

import sys

import paddle
from paddle.nn import functional

weight, bias = paddle.to_tensor([0.0, -1.0], "float64"), paddle.zeros([2], "float64")
start, step = paddle.to_tensor([[[1.0], [0.5]], [[0.5], [-1.0]]], "float64"), 2.0**-20


def value(x):
    """A weighed sum of what is normalised."""
    cotangent = paddle.to_tensor([[[1.5], [2.0]], [[6.75], [-5.5]]], "float64")
    return (functional.group_norm(x, 1, 0.25, weight, bias) * cotangent).sum()


x = start.clone()
x.stop_gradient = False
value(x).backward()
expected, got = [], [round(slope, 4) for slope in x.grad.flatten().tolist()]
for place in range(4):
    along = paddle.zeros([4], "float64")
    along[place] = step
    along = along.reshape(start.shape)
    expected.append(round((value(start + along) - value(start - along)).item() / (2 * step), 4))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
