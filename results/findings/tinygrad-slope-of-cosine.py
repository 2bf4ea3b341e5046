"""The derivative of the cosine at 0 is not 0, nor is the cosine as exact as the sine.

cos(x) is computed as sin(pi/2 - x): whatever the subtraction loses is lost.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x = Tensor([0.0])
(gradient,) = x.cos().gradient(x, gradient=Tensor([1.0]))
expected, got = 0.0, gradient.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
