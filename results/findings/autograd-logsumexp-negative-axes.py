"""logsumexp: forward mode along several axes that are counted from the end is out of bounds.

Searched in HIPS/autograd on 2026-11-29 for solve, logsumexp and axes: nothing.
"""

import sys

import numpy as np
from autograd import make_jvp
from autograd.scipy.special import logsumexp

try:
    _, tangent = make_jvp(lambda x: logsumexp(x, axis=(-2, -1)))(np.zeros((2, 2)))(np.ones((2, 2)))
    got = float(tangent)
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", 1.0)
print("got     ", got)
sys.exit(got != 1.0)
