"""einsum with axes as numbers: where one is summed of this operand alone, there is no gradient.

With axes as letters there is one: its rule fills such an axis with ones, the other does not.
It came with https://github.com/HIPS/autograd/pull/31. Searched for on 2026-12-03; nothing was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

expected = [[1.0, 2.0], [1.0, 2.0]]
cotangent = np.array([1.0, 2.0])
assert (
    make_vjp(lambda x: anp.einsum("ij->j", x))(np.zeros((2, 2)))[0](cotangent).tolist() == expected
)
try:
    got = make_vjp(lambda x: anp.einsum(x, [0, 1], [1]))(np.zeros((2, 2)))[0](cotangent).tolist()
except ValueError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
