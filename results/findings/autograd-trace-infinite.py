"""The gradient of a trace by an infinite cotangent is nan beside the diagonal, where it is zero.

The rule multiplies the cotangent by a matrix of ones and zeros. Searched in HIPS/autograd on
2026-11-30 for "trace gradient nan inf": nothing.
"""

import sys

import autograd.numpy as np
from autograd import make_vjp

pull, _ = make_vjp(np.trace)(np.ones((2, 2)))
expected, got = [[np.inf, 0.0], [0.0, np.inf]], pull(np.inf).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
