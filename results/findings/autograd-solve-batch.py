"""solve: one system of several right-hand sides' batch receives a gradient for each of them.

Searched in HIPS/autograd on 2026-11-29 for solve, logsumexp and axes: nothing.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

sides = np.ones((3, 2, 1))
pull, _ = make_vjp(lambda a: anp.linalg.solve(a, sides))(np.eye(2))
expected = [[-3.0, -3.0], [-3.0, -3.0]]
try:
    got = pull(np.ones((3, 2, 1))).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
