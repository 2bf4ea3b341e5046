"""Arguments of nine functions never receive a gradient, without a word.

The weight of lerp, the targets of four losses and the variance of another one, what is spread over
a diagonal or written over one, and both arguments of lstsq. Searched in PaddlePaddle/Paddle on
2026-11-22: nothing.
"""

import sys

import paddle
from paddle.nn import functional

x, y = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([2.0, 3.0])
matrix, side = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]]), paddle.to_tensor([[1.0], [2.0]])
FUNCTIONS = {
    "binary_cross_entropy": lambda v: functional.binary_cross_entropy(x, v),
    "binary_cross_entropy_with_logits": lambda v: functional.binary_cross_entropy_with_logits(x, v),
    "cross_entropy": lambda v: functional.cross_entropy(x, v, soft_label=True),
    "diag_embed": paddle.diag_embed,
    "diagonal_scatter": lambda v: paddle.diagonal_scatter(matrix, v),
    "gaussian_nll_loss": lambda v: functional.gaussian_nll_loss(x, y, v),
    "kl_div": lambda v: functional.kl_div(x, v),
    "lerp": lambda v: paddle.lerp(x, y, v),
    "lstsq": lambda v: paddle.linalg.lstsq(matrix * v, side)[0],
}
got = {}
for name, function in FUNCTIONS.items():
    v = paddle.to_tensor([0.25, 0.75], stop_gradient=False)
    value = function(v).sum()
    if not value.stop_gradient:
        value.backward()
    got[name] = "none" if v.grad is None else "a gradient"
expected = dict.fromkeys(got, "a gradient")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
