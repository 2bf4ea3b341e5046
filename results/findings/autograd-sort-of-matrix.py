"""sort: of a matrix there is no gradient, and forward mode gives a tangent of more axes.

Searched for on 2026-11-22; nothing was found on forward mode.
"""

import sys

import numpy as np
from autograd import make_jvp
from autograd import numpy as anp

x, t = np.array([[3.0, 1.0], [2.0, 4.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
expected = [[3.0, 2.0], [1.0, 4.0]]
value, tangent = make_jvp(lambda x: anp.sort(x, axis=0))(x)(t)
assert value.tolist() == [[2, 1], [3, 4]]
got = tangent.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
