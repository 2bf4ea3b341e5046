"""mm, bmm and inner of nothing: a third derivative ends in an error of memory that is not there.

It is zero. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle


def slope(function):
    """Differentiate a function of a number; None stands for zero."""

    def at(way):
        (found,) = paddle.grad(
            [function(way)], [way], [paddle.ones_like(way)], create_graph=True, allow_unused=True
        )
        return paddle.zeros_like(way) if found is None else found

    return at


def third(function, one, other, weight):
    """The third derivative along a line through two tensors, or what is said instead."""
    x, y, w = (paddle.ones(shape, "float64") for shape in (one, other, weight))

    def line(way):
        return (function(x + way * x, y + way * y) * w).sum()

    way = paddle.to_tensor(0.0, dtype="float64", stop_gradient=False)
    try:
        return slope(slope(slope(line)))(way).item()
    except ValueError as error:
        return "nullptr" if "nullptr" in str(error) else "another error"


got = {
    "mm": third(paddle.mm, [0, 2], [2, 2], [0, 2]),
    "bmm": third(paddle.bmm, [2, 0, 2], [2, 2, 2], [2, 0, 2]),
    "inner": third(paddle.inner, [0], [0], []),
}
expected = dict.fromkeys(got, 0.0)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
