"""hsplit: cutting a vector, which has one axis only, has no gradient."""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.hsplit(x, [1])[1])(np.array([1.0, 2.0, 3.0]))
assert value.tolist() == [2, 3]
expected = [0.0, 4.0, 5.0]
try:
    got = pull(np.array([4.0, 5.0])).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
