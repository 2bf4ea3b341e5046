"""Far below zero the gradient of the logarithm of the normal distribution function is infinite.

The derivative at x is close to -x there. It is computed as e to the power of the difference of two
logarithms that are as large as the square of x, and in which nothing is left of their difference.
Nothing was found of it among the issues (searched on 2026-11-22).
"""

import sys

from autograd import grad
from autograd.scipy.stats import norm

x = -(2.0**40)
got = grad(norm.logcdf)(x)
print("expected", -x)
print("got     ", got)
sys.exit(not abs(got + x) <= 1e-3 * -x)
