"""repeat: repeating a number has no gradient.

Searched for on 2026-11-23; nothing was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.repeat(x, 2))(np.array(1.0))
assert value.tolist() == [1, 1]
expected = 5.0
try:
    got = float(pull(np.array([2.0, 3.0])))
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
