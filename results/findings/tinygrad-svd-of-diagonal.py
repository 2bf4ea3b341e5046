"""svd of a diagonal matrix: the derivative of the singular vectors is zero, where it is not.

What need not be rotated is left out of the graph; with 0.001 beside the diagonal the gradient
is right. Searched for on 2026-11-23; nothing was found.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor


def slopes(matrix):
    """The derivative of a product of entries of the right singular vectors, which has no sign."""
    x = Tensor(matrix)
    right = x.svd()[2]
    return [
        [round(g, 3) for g in row] for row in (right[1, 0] * right[1, 1]).gradient(x)[0].tolist()
    ]


close = slopes([[3.0, 0.001], [0.0, 1.0]])
expected = [[0.0, -0.375], [-0.125, 0.0]]
got = slopes([[3.0, 0.0], [0.0, 1.0]])
print("expected", expected, "close to it", close)
print("got     ", got)
sys.exit(got != expected)
