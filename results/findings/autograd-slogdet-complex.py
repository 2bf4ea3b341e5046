"""The sign of a complex determinant has no gradient.

It is a number on the unit circle, and turns with the matrix. Autograd documents complex numbers as
supported, and the function computes them; the pullback takes the sign for a constant, as it is of
real matrices. Nothing was found of it among the issues (searched on 2026-11-22).
"""

import sys

import autograd.numpy as anp
import numpy as np
from autograd import grad

a = np.array([[3.0, 0.5 + 0.5j], [0.25j, 2.0]])


def turned(t):
    """The imaginary part of the sign of a determinant whose matrix is turned as a whole."""
    sign, _ = anp.linalg.slogdet(anp.exp(1j * t) * a)
    return anp.imag(sign)


h = 2.0**-20
expected = (turned(h) - turned(-h)) / (2 * h)
got = grad(turned)(0.0)
print("expected", expected, "by differences")
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6)
