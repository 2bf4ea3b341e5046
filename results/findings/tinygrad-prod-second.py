"""prod and cumprod: the second derivative by two factors that are zero is zero.

The derivative of x0 x1 x2 by x0 and x1 is x2.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected, got = {}, {}
products = {"prod": lambda x: x.prod(0), "cumprod": lambda x: x.cumprod(0)[2]}
for name, product in products.items():
    x = Tensor([0.0, 0.0, 5.0])
    (slope,) = product(x).gradient(x)
    (second,) = slope.gradient(x, gradient=Tensor([1.0, 0.0, 0.0]))
    expected[name], got[name] = [0.0, 5.0, 0.0], (second + 0 * x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
