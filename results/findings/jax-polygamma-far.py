"""polygamma(1, x) of float32 is 0 where it is 1 / x: a power of x has underflowed before.

Searched for on 2026-11-28; nothing was found.
"""

import math
import sys

import jax.numpy as jnp
from jax.scipy.special import polygamma

expected = 2.0**-100
got = float(polygamma(1, jnp.float32(2.0**100)))
print("expected", expected)
print("got     ", got)
sys.exit(not math.isclose(got, expected, rel_tol=1e-4))
