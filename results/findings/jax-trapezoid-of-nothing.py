"""The integral over no points is refused; NumPy's is 0."""

import sys

import numpy as np
from jax import numpy as jnp

expected = float(np.trapezoid(np.zeros(0)))
try:
    got = float(jnp.trapezoid(jnp.zeros(0)))
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
