"""The gradient of atan2 is infinite where the squares of its arguments underflow, in float32.

At y = x its derivative by y is 1 / (2 x), a number of the dtype; the rule divides by x * x + y * y.
"""

import sys

import numpy as np
from autograd import grad
from autograd import numpy as anp

x = y = np.float32(2.0**-100)
expected = 2.0**99
got = float(grad(anp.arctan2)(y, x))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
