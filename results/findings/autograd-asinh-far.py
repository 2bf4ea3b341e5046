"""The gradient of asinh is zero from 2 ** 64 on, in float32, where it is about 1 / x.

The rule takes the square of the argument, which overflows. The same holds for acosh.
"""

import sys

import numpy as np
from autograd import grad
from autograd import numpy as anp

x = np.float32(2.0**100)
expected = 2.0**-100
got = float(grad(anp.arcsinh)(x))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
