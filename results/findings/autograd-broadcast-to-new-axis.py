"""broadcast_to: a shape with more axes than the array has no gradient.

Reported as https://github.com/HIPS/autograd/issues/384
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

repeat = make_vjp(lambda x: anp.broadcast_to(x, (2, 3)))
expected = [3.0, 5.0, 7.0]
try:
    got = repeat(np.ones(3))[0](np.arange(6.0).reshape(2, 3)).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
