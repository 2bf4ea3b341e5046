"""log_ndtr just below -20 has eleven digits in float64: a series of three terms begins there.

Between -10 and -20 all sixteen are right. More terms would be, as the next one at -21 is a part of
1e-9 of the first. Expected: the continued fraction of Mills' ratio, which agrees with it at -19.
Searched for on 2026-11-29.
"""

import math
import sys

import jax
from jax.scipy.special import log_ndtr

jax.config.update("jax_enable_x64", True)


def logarithm(x: float) -> float:
    """Return the logarithm of the normal distribution function far below zero."""
    below = 0.0
    for n in range(200, 0, -1):
        below = n / (-x + below)
    return -x * x / 2 - math.log(2 * math.pi) / 2 - math.log(-x + below)


inside = float(log_ndtr(-19.0))
assert math.isclose(inside, logarithm(-19.0), rel_tol=1e-15), inside

expected, got = logarithm(-21.0), float(log_ndtr(-21.0))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14 * abs(expected))
