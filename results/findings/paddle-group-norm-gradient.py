"""group_norm on the CPU: the gradient is wrong without a weight, or where that of a channel is zero.

Differences of PaddlePaddle's own values say what the gradient is. Searched in PaddlePaddle/Paddle on
2026-11-22: nothing on wrong gradients on the CPU.
"""

import sys

import paddle
from paddle.nn import functional

WEIGHTS = {"none": None, "one zero": paddle.to_tensor([0.0, -1.0], "float64")}
start, step = paddle.to_tensor([[[1.0], [0.5]], [[0.5], [-1.0]]], "float64"), 2.0**-20
cotangent = paddle.to_tensor([[[1.5], [2.0]], [[6.75], [-5.5]]], "float64")


def value(x, weight):
    """A weighed sum of what is normalised."""
    bias = None if weight is None else paddle.zeros([2], "float64")
    return (functional.group_norm(x, 1, 0.25, weight, bias) * cotangent).sum()


expected, got = {}, {}
for name, weight in WEIGHTS.items():
    x = start.clone()
    x.stop_gradient = False
    value(x, weight).backward()
    got[name] = [round(slope, 4) for slope in x.grad.flatten().tolist()]
    expected[name] = []
    for place in range(4):
        along = paddle.zeros([4], "float64")
        along[place] = step
        along = along.reshape(start.shape)
        rise = value(start + along, weight) - value(start - along, weight)
        expected[name].append(round(rise.item() / (2 * step), 4))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
