"""The second derivative of normalize along an entry that is zero leaves a term out.

Of a row (0, 1) divided by its length the second derivative of the last entry, twice by the first,
is -1. The length is the root of a sum of abs(x) ** 2, whose second derivative at zero comes out as
zero, being made of the sign of zero. The same written with x.square() is right. Searched in
tinygrad/tinygrad on 2026-11-23: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor


def second(function):
    """Return the second derivative of the last entry by the first, twice."""
    x = Tensor([0.0, 1.0])
    (first,) = function(x)[1].gradient(x)
    (gradient,) = first[0].gradient(x)
    return gradient.tolist()[0]


expected = second(lambda x: x / x.square().sum().sqrt())
got = second(lambda x: x.normalize(dim=0))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
