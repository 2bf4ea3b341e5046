"""gradient along an axis of two or three entries: nothing says that it has no gradient.

The rule joins two entries of each end and what is between, which takes four. Of two an index is out
of bounds, and of three the shapes do not fit. It came with
https://github.com/HIPS/autograd/pull/491. Searched for on 2026-12-03; nothing was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

expected = [-0.5, -1.0, 1.5]
pull, value = make_vjp(lambda x: anp.gradient(x))(np.array([0.0, 2.0, 4.0]))
assert value.tolist() == [2.0, 2.0, 2.0]
try:
    got = pull(np.array([0.0, 1.0, 1.0])).tolist()
except (IndexError, ValueError) as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
