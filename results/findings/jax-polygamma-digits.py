"""polygamma of float32 is up to fifteen roundings off: it is made of exp(gammaln(n + 1)).

Of 1 it is pi ** 2 / 6 and so on. Searched for on 2026-11-22; nothing was found.
"""

import math
import sys

from jax.scipy.special import polygamma

expected = math.pi**4 / 15
got = float(polygamma(3, 1.0))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 8 * 2.0**-24 * expected)
