"""prod: an infinite factor has nan for its gradient, where the product of the others is finite.

The gradient is the result over the factor, here infinity over infinity. Searched for in the issues
of the library on 2026-11-26: not found.
"""

import math
import sys

import autograd.numpy as np
from autograd import grad

expected = 6.0
got = float(grad(np.prod)(np.array([math.inf, 2.0, 3.0]))[0])
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
