"""eigh of several matrices: the gradients of all eigenvalues are made of those of the first matrix.

pinv of hermitian matrices is made of it. Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

one = paddle.to_tensor([[3.0, 1.0], [1.0, 3.0]], "float64")
x = paddle.stack([one, one]).detach()
x.stop_gradient = False
values, _ = paddle.linalg.eigh(x)
values.backward(paddle.to_tensor([[4.0, -2.0], [2.0, -1.0]], "float64"))
expected, got = (
    [[0.5, -1.5], [-1.5, 0.5]],
    [[round(e, 6) for e in row] for row in x.grad[1].tolist()],
)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
