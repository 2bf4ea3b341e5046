"""The gradient of sqrtm of several matrices turns all axes round, and is wrong in silence.

The function takes a batch, each matrix by itself (SciPy's documentation); its gradient transposes
the whole result. Nothing was found upstream (2026-11-28).
"""

import sys

import autograd
import autograd.numpy as np
from autograd.scipy.linalg import sqrtm

x = np.array([[[4.0, 1.0], [1.0, 9.0]], [[16.0, 2.0], [2.0, 25.0]]])
slope = autograd.grad(lambda z: np.sum(sqrtm(z)))
expected = np.stack([slope(each) for each in x])
got = slope(x)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not np.allclose(got, expected))
