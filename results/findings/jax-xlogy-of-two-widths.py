"""The gradients of xlogy and xlog1py beside float32 have half of the digits of float64.

One operand is of float32, the other and the result are of float64; the logarithm in the gradient of
the other one is taken in float32.
Searched for in the issues of the library on 2026-11-25: nothing was found.
"""

import math
import sys

import jax

jax.config.update("jax_enable_x64", True)

from jax import numpy as jnp
from jax.scipy.special import xlog1py, xlogy

narrow = jnp.asarray(1.25, jnp.float32)
expected = [math.log(1.25), math.log1p(1.25)]
got = [float(jax.grad(f)(jnp.asarray(2.5), narrow)) for f in (xlogy, xlog1py)]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(g - e) > 1e-12 for g, e in zip(got, expected, strict=True)))
