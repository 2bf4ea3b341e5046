"""repeat: along axis -1 the gradient of each entry adds up the wrong cotangents.

Along axis 0 of the same vector, which is the same axis, it is right.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.repeat(x, 2, axis=-1))(np.array([1.0, 2.0, 3.0]))
assert value.tolist() == [1, 1, 2, 2, 3, 3]
expected = [1.0, 5.0, 9.0]  # 0 + 1, 2 + 3, 4 + 5
try:
    got = pull(np.arange(6.0)).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
