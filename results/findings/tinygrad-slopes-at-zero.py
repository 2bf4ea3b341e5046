"""erf, asin, acos and atan have the derivative 0 at 0, where they are smooth and steep.

They are computed from the absolute value and the sign of their argument, whose derivatives at 0 are
both taken as 0. After 0.14.0 they were mended: https://github.com/tinygrad/tinygrad/pull/17861 is
about erf, https://github.com/tinygrad/tinygrad/pull/17862 about asin.
"""

import os
import sys

import numpy as np

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor, dtypes

slopes = {"erf": 2 / np.pi**0.5, "asin": 1.0, "acos": -1.0, "atan": 1.0}
expected = {name: round(slope, 5) for name, slope in slopes.items()}
got = {}
for name in slopes:
    x = Tensor([0.0], dtype=dtypes.float64)
    (gradient,) = getattr(x, name)().gradient(x, gradient=Tensor([1.0], dtype=dtypes.float64))
    got[name] = round(gradient.item(), 5)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
