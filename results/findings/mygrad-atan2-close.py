"""The gradient of atan2 is infinite where the squares of its arguments underflow, in float32.

At y = x its derivative by y is 1 / (2 x), a number of the dtype; the rule divides by x * x + y * y.
"""

import sys

import mygrad as mg
import numpy as np

y, x = (mg.tensor(np.float32(2.0**-100)) for _ in range(2))
mg.arctan2(y, x).backward()
expected, got = 2.0**99, float(y.grad)
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
