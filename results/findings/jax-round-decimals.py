"""A number of one decimal, rounded to one decimal, is another number.

The quotient by 10 is computed as a product with what is not quite 1 / 10. NumPy divides, and leaves
the number as it is. Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import sys

import jax

jax.config.update("jax_enable_x64", True)
expected = -1.2
got = float(jax.numpy.round(jax.numpy.asarray(-1.2), 1))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
