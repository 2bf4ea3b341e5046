"""The gradient of a pseudoinverse of complex matrices is that of a formula for real ones.

Its transposes are not conjugated. Autograd documents complex numbers as supported, and the function
computes them. Nothing was found of it among the issues (searched on 2026-11-22).
"""

import sys

import autograd.numpy as anp
import numpy as np
from autograd import grad

a = np.array([[3.0, 0.5 + 0.5j], [0.25j, 2.0], [1.0, -1.0j]])
direction = np.array([[0.5, -1.0j], [1.0 + 1.0j, 0.25], [0.5j, 1.0]])


def total(t):
    """A real function of a real number, by way of a matrix that moves with it."""
    inverse = anp.linalg.pinv(a + t * direction)
    return anp.sum(anp.real(inverse)) + 2 * anp.sum(anp.imag(inverse))


h = 2.0**-20
expected = (total(h) - total(-h)) / (2 * h)
got = grad(total)(0.0)
print("expected", expected, "by differences")
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6)
