"""Cutting at a place beyond the end, or before the last cut, is refused; NumPy gives empty pieces."""

import sys

import numpy as np
from jax import numpy as jnp

x, places = np.arange(3.0), [1, 5]
expected = [piece.tolist() for piece in np.split(x, places)]
try:
    got = [piece.tolist() for piece in jnp.split(jnp.asarray(x), places)]
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
