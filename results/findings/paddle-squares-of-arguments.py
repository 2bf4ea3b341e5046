"""hypot, and the gradients of atan2, asinh and acosh, square their arguments: far away these overflow.

PyTorch has the last three as well: https://github.com/pytorch/pytorch/issues/193040. Searched in
PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

FAR = 2.0**100


def slope(function):
    """The derivative of a function far away."""
    x = paddle.to_tensor([FAR], stop_gradient=False)
    function(x).sum().backward()
    return x.grad.item() * FAR


far = paddle.to_tensor([FAR])
got = {
    "hypot": paddle.hypot(0.75 * far, far).item() / FAR,
    "atan2": slope(lambda x: paddle.atan2(x, far)),
    "asinh": slope(paddle.asinh),
    "acosh": slope(paddle.acosh),
}
expected = {"hypot": 1.25, "atan2": 0.5, "asinh": 1.0, "acosh": 1.0}
print("expected", expected)
print("got     ", got)
sys.exit(any(not abs(got[name] - value) < 1e-6 for name, value in expected.items()))
