"""prod: the gradient of a product with a factor of zero is nan, for it is divided by the factor.

Reported as https://github.com/HIPS/autograd/issues/378
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, _ = make_vjp(lambda x: anp.prod(x))(np.array([0.0, 2.0, 3.0]))
expected = [6.0, 0.0, 0.0]
with np.errstate(all="ignore"):
    got = pull(1.0).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
