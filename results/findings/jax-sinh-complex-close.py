"""The real part of sinh of a complex number close to zero is 0, where it is that of the number.

Half the difference of two powers of e is taken for it, which are both 1 there. Searched in
jax-ml/jax on 2026-11-27: the same was reported of sin (#19753), where it is mended since.
"""

import sys

import jax.numpy as jnp
import numpy as np

z = np.complex64(2.0**-40 + 2.0**-40 * 1j)
expected = z.real
got = float(jnp.sinh(z).real)
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
