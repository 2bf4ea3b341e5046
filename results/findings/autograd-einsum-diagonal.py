"""einsum: an equation that takes a diagonal has no gradient."""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.einsum("ii->i", x))(np.array([[1.0, 2.0], [3.0, 4.0]]))
assert value.tolist() == [1, 4]
expected = [[5.0, 0.0], [0.0, 6.0]]
try:
    got = pull(np.array([5.0, 6.0])).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
