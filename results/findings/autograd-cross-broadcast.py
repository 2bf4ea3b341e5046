"""cross: the gradient of an operand that is broadcast has the shape of the result.

Searched for on 2026-11-23; nothing was found.
"""

import sys

import numpy as np
from autograd import grad
from autograd import numpy as anp

x, y = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([[0.0, 0.0, 1.0]])
assert anp.cross(x, y).tolist() == [[2, -1, 0], [5, -4, 0]]
expected = [[3.0, -3.0, 0.0]]
got = grad(lambda y: anp.cross(x, y)[:, :2].sum())(y).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
