"""linalg.norm of matrices with keepdims=True: the gradient has two axes more than what it is of.

Searched for on 2026-11-23; nothing was found on keepdims.
"""

import sys

import numpy as np
from autograd import grad
from autograd import numpy as anp

x = np.array([[3.0, 0.0], [0.0, 4.0]])
expected = [[0.6, 0.0], [0.0, 0.8]]
got = grad(lambda x: anp.linalg.norm(x, "fro", axis=(0, 1), keepdims=True).sum())(x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
