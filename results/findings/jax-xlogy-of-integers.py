"""xlogy and xlog1py have no gradient by y where x is an integer: it ends in TypeError.

The functions promote an integer, as 2 * log(y) does, and their values are right; the rule for the
gradient multiplies by the tangent of the integer, which stands for nothing. Searched for in the
issues of the library on 2026-11-23: nothing was found.
"""

import sys

import jax
from jax.scipy.special import xlogy

expected = 0.5
try:
    got = float(jax.grad(lambda y: xlogy(2, y))(4.0))
except TypeError as error:
    got = f"TypeError: {error}"[:60]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
