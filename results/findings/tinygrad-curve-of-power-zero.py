"""pow: the second derivative of x ** y by x is nan at x = 0 and y = 0.

The power is 1 for every x. Searched in tinygrad/tinygrad on 2026-11-30 for pow and nan: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x, y, one = Tensor([0.0]), Tensor([0.0]), Tensor([1.0])
(slope,) = x.pow(y).gradient(x, gradient=one)
(curve,) = slope.gradient(x, gradient=one)
expected, got = [0.0], (curve + 0 * x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
