"""Functions that take shapes otherwise than their neighbours do.

t gives a matrix as a view, and a vector as itself; clone keeps the strides of no transposed tensor;
squeeze along no axes removes all of size 1; and a number has no axis to transpose or to scatter
along, though sum takes it for a vector of one entry.
"""

import sys

import paddle

vector, matrix, number = paddle.ones([2]), paddle.ones([2, 3]), paddle.to_tensor(2.0)


def answer(function):
    """Return a number, or why there is none."""
    try:
        return function().item()
    except Exception as error:
        return type(error).__name__


expected = {"t": False, "clone": [1, 3], "squeeze": [1], "transpose": 2.0, "scatter": 2.0}
got = {
    "t": paddle.t(vector) is vector,
    "clone": list(matrix.t().clone().strides),
    "squeeze": list(paddle.squeeze(paddle.ones([1]), ()).shape),
    "transpose": answer(lambda: paddle.transpose(number, 0, 0)),
    "scatter": answer(lambda: paddle.scatter(number, 0, paddle.to_tensor(0), number)),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
