"""zeta and polygamma are nan at infinity, where both are zero.

They are those of SciPy, which says so.
"""

import sys

import jax.numpy as jnp
from jax.scipy.special import polygamma, zeta

got = [float(zeta(2.0, jnp.inf)), float(polygamma(1, jnp.inf))]
print("expected", [0.0, 0.0])
print("got     ", got)
sys.exit(got != [0.0, 0.0])
