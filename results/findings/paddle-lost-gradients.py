"""The weight of lerp and the targets of four losses never receive a gradient, without a word."""

import sys
from functools import partial

import paddle
from paddle.nn import functional

LOSSES = "binary_cross_entropy binary_cross_entropy_with_logits kl_div"


def slope(function):
    """The derivative by the last argument; None if none is received."""
    last = paddle.to_tensor([[0.25, 0.75]], stop_gradient=False)
    function(last).sum().backward()
    return None if last.grad is None else "a gradient"


x, y = paddle.to_tensor([[0.5, 0.25]]), paddle.to_tensor([[2.0, 3.0]])
got = {name: slope(partial(getattr(functional, name), x)) for name in LOSSES.split()}
got["cross_entropy"] = slope(lambda t: functional.cross_entropy(x, t, soft_label=True))
got["lerp"] = slope(lambda t: paddle.lerp(x, y, t))
expected = dict.fromkeys(got, "a gradient")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
