"""A real operand of where beside a complex one receives a complex gradient, or an error.

Sums and products of the same operands give it the real part. A real negative base with a complex
exponent has nan for its gradient by the exponent: the rule takes a real logarithm of it. PyTorch had
the second mistake (its issue 89903); nothing was found of Autograd's (searched on 2026-11-22).
"""

import sys

import autograd.numpy as anp
import numpy as np
from autograd import grad, holomorphic_grad

mask, z = np.array([True, False]), np.array([1j, 2j])
weights = np.array([1 + 2j, 3 + 4j])


def chosen(x):
    """A real function of real numbers, by way of complex ones."""
    return anp.sum(anp.real(weights * anp.where(mask, x, z)))


print("expected", [1.0, 0.0])
found = grad(chosen)(np.array([1.0, 2.0]))
print("got     ", found.tolist())
wrong = np.iscomplexobj(found)

expected = np.log(-2 + 0j) * (-2 + 0j) ** (0.5 + 0.25j)
got = holomorphic_grad(lambda w: anp.power(-2.0, w))(0.5 + 0.25j)
print("expected", expected)
print("got     ", got)
sys.exit(wrong or not abs(got - expected) < 1e-9)
