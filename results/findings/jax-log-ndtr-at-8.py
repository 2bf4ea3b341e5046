"""log_ndtr of 8, the end of what it takes a logarithm of in float64, is off by seven per cent.

It is -ndtr(-8) but for parts of 1e-31: what is computed above 8. Up to there it is the logarithm of
a number that is 1 but for three roundings. Searched for on 2026-11-28; SciPy had the same loss, see
https://github.com/scipy/scipy/issues/15172
"""

import sys

import jax
from jax.scipy.special import log_ndtr, ndtr

jax.config.update("jax_enable_x64", True)

expected = -float(ndtr(-8.0))
got = float(log_ndtr(8.0))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
