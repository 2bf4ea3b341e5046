"""The gradient of kron is wrong for arrays of three axes and more."""

import sys

import autograd.numpy as anp
import numpy as np
from autograd import grad

a = np.arange(1.0, 9.0).reshape(2, 2, 2)
b = np.arange(1.0, 17.0).reshape(2, 2, 4)
w = np.arange(1.0, 129.0).reshape(4, 4, 8)
got = grad(lambda x: anp.sum(w * anp.kron(x, b)))(a)
blocks = w.reshape(2, 2, 2, 2, 2, 4)  # kron is what stands at (i, p, j, q, k, r): a_ijk b_pqr
expected = np.einsum("ipjqkr,pqr->ijk", blocks, b)
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not np.allclose(got, expected))
