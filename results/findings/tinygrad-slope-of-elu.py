"""The derivative of elu at 0 is 0, though it is 1 on both sides."""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x = Tensor([-(2.0**-20), 0.0, 2.0**-20])
(gradient,) = x.elu().gradient(x, gradient=Tensor.ones(3))
expected, got = [1.0, 1.0, 1.0], [round(slope, 5) for slope in gradient.tolist()]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
