"""vsplit takes a vector, which has no rows; NumPy refuses it."""

import sys

import numpy as np
from jax import numpy as jnp


def outcome(function, x):
    try:
        return str([piece.tolist() for piece in function(x, 1)])
    except ValueError:
        return "ValueError"


expected = outcome(np.vsplit, np.arange(2.0))
got = outcome(jnp.vsplit, jnp.arange(2.0))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
