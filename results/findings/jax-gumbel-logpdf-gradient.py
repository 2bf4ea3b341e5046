"""jax.scipy.stats.gumbel_r.logpdf has no gradient for its scale: a rule multiplies by a float0.

It calls xlogy with the integer -1, whose rule multiplies by the tangent of that.
"""

import sys

import jax
from jax.scipy import stats

scale = jax.numpy.array(2.0)
print("expected a number: of norm.logpdf it is", end=" ")
print(jax.grad(stats.norm.logpdf, 2)(1.0, 0.5, scale))
try:
    print("got     ", jax.grad(stats.gumbel_r.logpdf, 2)(1.0, 0.5, scale))
except TypeError as error:
    print("got     ", str(error).partition(".")[0])
    sys.exit(1)
