"""The gradient of arctan2 is infinite where the squares of its arguments underflow, in float32.

At y = x its derivative by y is 1 / (2 x), a number of the dtype; the rule divides by x * x + y * y.
"""

import sys

import jax
from jax import numpy as jnp

x = y = jnp.float32(2.0**-67)
expected = 2.0**66
got = float(jax.grad(jnp.arctan2)(y, x))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
