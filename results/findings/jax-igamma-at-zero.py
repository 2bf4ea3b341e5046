"""The derivatives of gammainc and gammaincc of order 1 are nan at zero: there is 0 * log(0)."""

import sys

import jax
from jax.scipy.special import gammainc, gammaincc

found = [float(jax.grad(f, argnums=1)(1.0, 0.0)) for f in (gammainc, gammaincc)]
print("expected", [1.0, -1.0])
print("got     ", found)
sys.exit(found != [1.0, -1.0])
