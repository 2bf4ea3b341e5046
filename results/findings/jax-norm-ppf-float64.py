"""jax.scipy.stats.norm.ppf is of float64 whatever it is given, once float64 is switched on."""

import sys

import jax

jax.config.update("jax_enable_x64", True)

from jax import numpy as jnp
from jax.scipy import stats

p = jnp.array([0.25, 0.75], jnp.float32)
print("expected", stats.cauchy.ppf(p).dtype, "as of stats.cauchy.ppf")
print("got     ", stats.norm.ppf(p).dtype)
sys.exit(stats.norm.ppf(p).dtype != p.dtype)
