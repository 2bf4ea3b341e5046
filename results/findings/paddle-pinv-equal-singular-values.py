"""The gradient of pinv is nan where singular values are equal, as those of a multiple of I.

The pseudoinverse is smooth there: of 3 I the sum of entries has the gradient -1/9 everywhere.
Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x = (3 * paddle.eye(2, dtype="float64")).detach()
x.stop_gradient = False
paddle.linalg.pinv(x).sum().backward()
expected, got = [-0.1111] * 4, [round(slope, 4) for slope in x.grad.flatten().tolist()]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
