"""The slope of digamma is the trigamma function, which is positive; JAX's is not below -9.

The issue https://github.com/jax-ml/jax/issues/37635 reports it; at -9.5 and -10.2 it is worse.
"""

import sys

import jax
import numpy as np
from scipy.special import polygamma

jax.config.update("jax_enable_x64", True)

x = np.array([-16.5, -9.5, -10.2])
expected = polygamma(1, x)
got = np.array([float(jax.grad(jax.scipy.special.digamma)(point)) for point in x])
print("expected", expected)
print("got     ", got)
sys.exit(not np.allclose(got, expected))
