"""The gradient of a divisor is infinite where its square underflows, in float32.

The derivative of x / y by y is -x / y / y; the rule divides by the square of y.
"""

import sys

import jax
from jax import numpy as jnp

x, y = jnp.float32(2.0**-12), jnp.float32(2.0**-67)
expected = -(2.0**122)
got = float(jax.grad(jnp.divide, 1)(x, y))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
