"""The factor of a matrix whose upper triangle is read has a gradient by the lower one.

`jax.scipy.linalg.cholesky` reads one triangle. What an entry of the other one is changes nothing,
as the differences say, but it receives a share; the gradient is not symmetric either. The issue
https://github.com/jax-ml/jax/issues/40421 reports it.
"""

import sys

import jax
import numpy as np
from jax import numpy as jnp
from jax.scipy import linalg

jax.config.update("jax_enable_x64", True)

a = np.array([[4.0, 1.0], [1.0, 3.0]])
step = np.array([[0.0, 0.0], [1e-6, 0.0]])


def total(x):
    """Add up the entries of the factor."""
    return jnp.sum(linalg.cholesky(x, lower=False))


expected = float(total(a + step) - total(a - step)) / 2e-6
gradient = jax.grad(total)(jnp.array(a))
got = float(gradient[1, 0])
print("expected", expected, "or the same on both sides")
print("got     ", got, "and", float(gradient[0, 1]))
sys.exit(abs(got - expected) > 1e-6 and abs(got - float(gradient[0, 1])) > 1e-6)
