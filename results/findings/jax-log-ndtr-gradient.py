"""Far below zero the gradient of log_ndtr is 1, of float32; that of float64 has few digits.

There it is -x. The rule takes e to the difference of a logarithm of the density and the value, two
numbers of about x * x / 2 whose difference is what rounding leaves. Searched for on 2026-11-28; the
issue on second derivatives of norm.logcdf, https://github.com/jax-ml/jax/issues/25564, is another.
"""

import sys

import jax
from jax import numpy as jnp
from jax.scipy.special import log_ndtr

expected = 1e5
got = float(jax.grad(log_ndtr)(jnp.float32(-1e5)))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1)
