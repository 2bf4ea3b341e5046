"""i0 and i1 of float32 are infinite where they fit: they are made of a power of e that overflows.

Searched for on 2026-11-28; of PyTorch, which is made alike, it is issue 192293.
"""

import math
import sys

import jax.numpy as jnp
from jax.scipy.special import i0

expected = 1.9012419299064903e37
got = float(i0(jnp.float32(89.0)))
print("expected", expected)
print("got     ", got)
sys.exit(not math.isclose(got, expected, rel_tol=1e-4))
