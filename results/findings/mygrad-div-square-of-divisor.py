"""The gradient of a divisor is infinite where its square underflows, in float32.

The derivative of x / y by y is -x / y / y, an ordinary number for small x and y; the rule divides
by the square of y.
"""

import sys

import mygrad as mg
import numpy as np

x, y = (mg.tensor(np.float32(2.0**-100)) for _ in range(2))
(x / y).backward()
expected, got = -(2.0**100), float(y.grad)
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
