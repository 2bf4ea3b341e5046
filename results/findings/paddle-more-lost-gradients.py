"""diag_embed, diagonal_scatter, gaussian_nll_loss and lstsq: some gradients are lost without a word.

What is spread over a diagonal, or written over one, a variance, and both arguments of lstsq.
Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle
from paddle.nn import functional

matrix, side = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]]), paddle.to_tensor([[1.0], [2.0]])
FUNCTIONS = {
    "diag_embed": paddle.diag_embed,
    "diagonal_scatter": lambda v: paddle.diagonal_scatter(matrix, v),
    "gaussian_nll_loss": lambda v: functional.gaussian_nll_loss(v.detach(), 0 * v.detach(), v),
    "lstsq": lambda v: paddle.linalg.lstsq(matrix * v, side)[0],
}
got = {}
for name, function in FUNCTIONS.items():
    v = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    value = function(v).sum()
    if not value.stop_gradient:
        value.backward()
    got[name] = "none" if v.grad is None else "a gradient"
expected = dict.fromkeys(got, "a gradient")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
