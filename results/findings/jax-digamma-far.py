"""The gradient of digamma at 2 ** 100 is 0 in float32, where it is about 1 / x, a normal number.

Searched for in the issues of the library on 2026-11-22: not found.
"""

import sys

import jax

x = 2.0**100
expected = 2.0**-100
got = float(jax.grad(jax.scipy.special.digamma)(x))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
