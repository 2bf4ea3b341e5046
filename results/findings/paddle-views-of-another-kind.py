"""Four functions of shape that answer otherwise than their neighbours.

t gives a matrix as a view, and a vector as itself; clone keeps the strides of no transposed tensor;
squeeze along no axes removes all of size 1; and a number has no axis to transpose, though sum takes
it for a vector of one entry.
"""

import sys

import paddle

vector, matrix, number = paddle.ones([2]), paddle.ones([2, 3]), paddle.to_tensor(2.0)


def transposed():
    """Exchange axis 0 of a number with itself."""
    try:
        return paddle.transpose(number, 0, 0).item()
    except Exception as error:
        return type(error).__name__


expected = {"t": False, "clone": [1, 3], "squeeze": [1], "transpose": 2.0}
got = {
    "t": paddle.t(vector) is vector,
    "clone": list(matrix.t().clone().strides),
    "squeeze": list(paddle.squeeze(paddle.ones([1]), ()).shape),
    "transpose": transposed(),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
