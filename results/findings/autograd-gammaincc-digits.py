"""gammaincc(1/2, 1/2) is forty roundings off, as it is in scipy, which computes it.

It is erfc(sqrt(1/2)). Searched for on 2026-11-22; nothing was found.
"""

import math
import sys

from autograd.scipy.special import gammaincc

expected = math.erfc(math.sqrt(0.5))
got = float(gammaincc(0.5, 0.5))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 8 * math.ulp(expected))
