"""The gradient of logsumexp does not add up to 1 far out: of four equal entries each has all of it.

What is added to all entries is added to the result, whose gradient therefore adds up to 1. The rule
takes e to what an entry is below the result, and beside a large entry the logarithm of 4 is lost.
Searched for in the issues of the library on 2026-11-22: not found. Stan had it:
https://github.com/stan-dev/math/issues/1679
"""

import sys

import numpy as np
from autograd import grad
from autograd.scipy.special import logsumexp

expected = [0.25] * 4
got = grad(logsumexp)(np.full(4, 2.0**60)).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
