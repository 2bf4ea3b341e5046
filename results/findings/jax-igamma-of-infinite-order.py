"""The incomplete gamma functions of an infinite order are 0 and 1, and nan in JAX before 0.11.

What mends it: "Fix `lax.special.igamma` and `lax.special.igammac` for `a = inf` & `x` finite", of
2026-06-27.
"""

import sys

import jax
import numpy as np

expected = [0.0, 1.0]
got = [
    float(jax.scipy.special.gammainc(np.inf, 2.0)),
    float(jax.scipy.special.gammaincc(np.inf, 2.0)),
]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
