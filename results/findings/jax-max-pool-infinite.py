"""The gradient of a largest entry that is -inf goes to the padding, which is -inf as well, if first.

Of finite entries each receives its gradient, whatever is padded. Searched for in the issues of the
library on 2026-11-30: nothing was found.
"""

import sys

import jax
from jax import lax
from jax import numpy as jnp

jax.config.update("jax_platforms", "cpu")


def pooled(x):
    """Reduce windows of two entries, before the first of which there is padding."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (2,), (1,), ((1, 0),))


expected, got = {}, {}
for least in (-1.0, -jnp.inf):
    x = jnp.array([least, 0.0, 1.0])
    expected[least] = [1.0, 1.0, 1.0]
    got[least] = jax.vjp(pooled, x)[1](jnp.ones(3))[0].tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
