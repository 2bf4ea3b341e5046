"""transpose: with axes counted from the end the gradient is turned the wrong way.

The axes are sorted as they are given, to be inverted, where those from the end come first. Searched
in HIPS/autograd on 2026-11-25: nothing.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

x = cotangent = np.arange(8.0).reshape(2, 2, 2)
pull, value = make_vjp(lambda x: anp.transpose(x, (-1, 0, 1)))(x)
assert value.tolist() == np.transpose(x, (2, 0, 1)).tolist()
expected, got = np.transpose(cotangent, (1, 2, 0)).tolist(), pull(cotangent).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
