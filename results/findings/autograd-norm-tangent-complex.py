"""Forward mode gives the norm of complex numbers a complex tangent.

The norm is real, and so is its derivative along every direction. Nothing was found of it among the
issues (searched on 2026-11-22).
"""

import sys

import autograd.numpy as anp
import numpy as np
from autograd import make_jvp

z, v = np.array([3.0 + 4.0j, 1.0j]), np.array([1.0 + 0.0j, 2.0 - 1.0j])
_, tangent = make_jvp(anp.linalg.norm)(z)(v)
print("expected", (z.conj() * v).sum().real / np.linalg.norm(z))
print("got     ", tangent)
sys.exit(np.iscomplexobj(tangent))
