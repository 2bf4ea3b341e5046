"""pow: the mixed second derivative of x ** y is wrong at y = 0.

d/dx (x ** y) is y * x ** (y - 1), whose derivative by y at y = 0 is 1 / x.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x, y, one = Tensor([4.0]), Tensor([0.0]), Tensor([1.0])
(by_x,) = x.pow(y).gradient(x, gradient=one)
(mixed,) = by_x.gradient(y, gradient=one)
expected, got = [0.25], (mixed + 0 * x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
