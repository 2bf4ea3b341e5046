"""The derivative of arccosh of a complex number has the wrong sign where its real part is negative.

It is 1 / (sqrt(z + 1) * sqrt(z - 1)); the rule takes one root of (z - 1) * (z + 1), which is the
other one there. The value was corrected in pull request 5156. PyTorch had the same mistake (its issue
50692); nothing was found of JAX's (searched on 2026-11-22).
"""

import sys

import jax
from jax import numpy as jnp

jax.config.update("jax_enable_x64", True)

z, h = -1.5 + 0.5j, 2.0**-20
expected = complex((jnp.arccosh(z + h) - jnp.arccosh(z - h)) / (2 * h))
got = complex(jax.grad(jnp.arccosh, holomorphic=True)(z))
print("expected", expected, "by differences")
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6)
