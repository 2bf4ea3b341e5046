"""The gradient of elu is nan from where the exponential overflows that is not chosen.

Above zero elu is the identity, and its gradient 1. It was mended after 0.14.0:
https://github.com/tinygrad/tinygrad/pull/17852
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x = Tensor([1000.0])
(gradient,) = x.elu().gradient(x, gradient=Tensor([1.0]))
expected, got = 1.0, gradient.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
