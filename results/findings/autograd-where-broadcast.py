"""where: what was broadcast receives a gradient in the shape of the result, or none at all.

The pullback leaves out the sum over the copies of an operand that was repeated.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

choose = np.array([True, False, True])
pull, _ = make_vjp(lambda x: anp.where(choose, x, np.zeros(3)))(np.ones(1))
expected = [4.0]  # 1 + 3, the cotangents of the two places that hold x
try:
    got = pull(np.array([1.0, 2.0, 3.0])).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
