"""linalg.norm: forward mode at an array of no entries gives nan; the norm is the constant 0."""

import sys

import numpy as np
from autograd import make_jvp
from autograd import numpy as anp

with np.errstate(all="ignore"):
    value, tangent = make_jvp(anp.linalg.norm)(np.zeros(0))(np.zeros(0))
expected, got = [0.0, 0.0], [float(value), float(tangent)]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
