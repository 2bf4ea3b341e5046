"""Forward mode of the norm of no entries gives nan, though that norm is constant."""

import sys

import jax
from jax import numpy as jnp

nothing = jnp.zeros((0, 3))
_, tangent = jax.jvp(jnp.linalg.norm, (nothing,), (nothing,))
expected, got = 0.0, float(tangent)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
