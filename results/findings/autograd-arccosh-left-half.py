"""The derivative of arccosh of a complex number has the wrong sign where its real part is negative.

It is 1 / (sqrt(z + 1) * sqrt(z - 1)); the rule takes one root of z * z - 1, which is the other one
there. PyTorch had the same mistake (its issue 50692); nothing was found of Autograd's (searched on
2026-11-22).
"""

import sys

import autograd.numpy as anp
import numpy as np
from autograd import holomorphic_grad

z, h = -1.5 + 0.5j, 2.0**-20
expected = (np.arccosh(z + h) - np.arccosh(z - h)) / (2 * h)
got = holomorphic_grad(anp.arccosh)(z)
print("expected", expected, "by differences")
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6)
