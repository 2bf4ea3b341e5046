"""prod and cumprod: an infinite factor has nan for its gradient, where the others are finite.

The gradient is the result over the factor, here infinity over infinity. Searched for in the issues
of the library on 2026-11-26: https://github.com/tinygrad/tinygrad/pull/17404 is on factors of 0.
"""

import math
import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected, got = [6.0, 9.0], []
for product in (lambda x: x.prod(0), lambda x: x.cumprod(0).sum()):
    x = Tensor([math.inf, 2.0, 3.0])
    (gradient,) = product(x).gradient(x)
    got.append(gradient.tolist()[0])
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
