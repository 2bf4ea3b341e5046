"""The second derivatives of hypot are zero where both arguments are equally large.

It is computed from the larger and the smaller of the two; at a tie each is the mean of both, whose
difference is zero, and so is what the second derivative is made of. Searched for in the issues of
the library on 2026-11-23: nothing was found. TensorFlow has the same:
https://github.com/tensorflow/tensorflow/issues/127230
"""

import sys

import jax
from jax import numpy as jnp

expected = 8**-0.5
got = float(jax.grad(jax.grad(jnp.hypot))(1.0, 1.0))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6)
