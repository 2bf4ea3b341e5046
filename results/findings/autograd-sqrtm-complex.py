"""The gradient of sqrtm of complex matrices is that of their real parts.

Expected is the slope of the real part of an entry by differences, along the imaginary part of
another entry. Nothing was found upstream (2026-11-28).
"""

import sys

import autograd
import autograd.numpy as np
from autograd.scipy.linalg import sqrtm

x = np.array([[4.0, 1.0 + 1.0j], [1.0 - 1.0j, 9.0]])
step = np.array([[0.0, 1e-5j], [0.0, 0.0]])


def entry(z):
    """The real part of an entry of the root."""
    return np.real(sqrtm(z)[0, 0])


expected = (entry(x + step) - entry(x - step)) / 2e-5
# Autograd's gradients are conjugates of those that point uphill.
got = -np.imag(autograd.grad(entry)(x)[0, 1])
print("expected", expected)
print("got     ", got)
sys.exit(not abs(got - expected) < 1e-6)
