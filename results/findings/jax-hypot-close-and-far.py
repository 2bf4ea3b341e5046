"""The gradients of hypot are wrong where the squares of its arguments leave float32.

At equal arguments each is the root of a half; far out they come out as 1.06 or so, close to zero as
infinity. The value is right in both places.
"""

import sys

import jax
from jax import numpy as jnp

x = jnp.float32(2.0**100)
expected = 0.5**0.5
got = float(jax.grad(jnp.hypot)(x, x))
print("close to zero", float(jax.grad(jnp.hypot)(1 / x, 1 / x)))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6)
