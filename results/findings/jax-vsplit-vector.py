"""vsplit takes a vector, which has no rows; NumPy refuses it."""

import sys

import numpy as np
from jax import numpy as jnp

try:
    np.vsplit(np.arange(2.0), 1)
except ValueError as error:
    expected = str(error)
try:
    got = [piece.tolist() for piece in jnp.vsplit(jnp.arange(2.0), 1)]
except ValueError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(isinstance(got, list))
