"""At infinity arctangents, clipped and soft functions are nan, where they have limits.

relu6 and hardsigmoid are differences of two relu, and infinity less infinity is nan (pull request
18028 of 2026-09 takes relu6 apart, for what is finite and large). atan is an arcsine of
x / sqrt(1 + x * x), softplus a sum with the logarithm of an exponential of infinity less itself.
Searched in tinygrad/tinygrad on 2026-11-30 for "relu6 inf nan" and "atan inf nan": nothing else.
"""

import math
import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

functions = ("atan", "asinh", "relu6", "hardsigmoid", "softplus")
expected = [math.pi / 2, -math.inf, 6.0, 1.0, math.inf]
far = [-math.inf if name == "asinh" else math.inf for name in functions]
got = [getattr(Tensor([x]), name)().item() for name, x in zip(functions, far, strict=True)]
print("expected", expected)
print("got     ", got)
sys.exit(any(not math.isclose(x, y, rel_tol=1e-5) for x, y in zip(got, expected, strict=True)))
