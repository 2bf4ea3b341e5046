"""The gradient of asinh is zero from 2 ** 64 on, in float32, where it is about 1 / x.

The rule takes the square of the argument, which overflows. The same holds for acosh.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.float32(2.0**100))
mg.arcsinh(x).backward()
expected, got = 2.0**-100, float(x.grad)
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
