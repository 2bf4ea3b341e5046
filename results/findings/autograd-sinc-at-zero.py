"""sinc: the derivative at 0 is nan, where the function is smooth.

Searched for on 2026-11-22; https://github.com/HIPS/autograd/issues/380 is about its formula.
"""

import sys

from autograd import grad
from autograd import numpy as anp

expected = 0.0
got = float(grad(anp.sinc)(0.0))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
