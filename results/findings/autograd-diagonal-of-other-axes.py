"""diagonal: off the main diagonal, or along the first two axes, there is no gradient.

Searched for on 2026-11-22; nothing was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.diagonal(x, 1))(np.arange(4.0).reshape(2, 2))
assert value.tolist() == [1]
expected = [[0.0, 5.0], [0.0, 0.0]]
try:
    got = pull(np.array([5.0])).tolist()
except NotImplementedError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
