"""tile: of a matrix and one number of copies, cotangents of the wrong places are added up.

One number of copies is meant for the last axis; the pullback takes it for the first.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.tile(x, 2))(np.array([[1.0, 2.0], [3.0, 4.0]]))
assert value.tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]
expected = [[2.0, 4.0], [10.0, 12.0]]  # 0 + 2, 1 + 3, 4 + 6, 5 + 7
try:
    got = pull(np.arange(8.0).reshape(2, 4)).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
