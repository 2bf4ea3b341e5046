"""diag: the gradient by a matrix that is no square has the shape of a square."""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, _ = make_vjp(lambda x: anp.diag(x))(np.ones((2, 3)))
expected = [[5.0, 0.0, 0.0], [0.0, 6.0, 0.0]]
try:
    got = pull(np.array([5.0, 6.0])).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
