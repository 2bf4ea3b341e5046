"""gradient: with a distance between neighbours, or a second time, there is no gradient.

It came with https://github.com/HIPS/autograd/pull/491, which says so.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

expected = [-2.0, 2.0]
try:
    got = make_vjp(lambda x: anp.gradient(x, 0.5))(np.zeros(2))[0](np.array([1.0, 0.0])).tolist()
except NotImplementedError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
