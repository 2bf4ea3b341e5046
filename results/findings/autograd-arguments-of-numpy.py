"""Gradients of functions that are called with arguments of numpy's which their rules do not know.

Searched for on 2026-11-22; nothing was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp
from autograd.scipy import linalg

x = np.array([[2.0, 0.5], [0.5, 3.0]])
functions = {
    "cho_solve": lambda x: linalg.cho_solve((x, True), np.ones(2)),
    "cholesky of the upper triangle": lambda x: anp.linalg.cholesky(x, upper=True),
    "clip by arrays": lambda high: anp.clip(x, -x, high),
    "nan_to_num with a number": lambda x: anp.nan_to_num(x, nan=1.0),
    "repeat with counts": lambda x: anp.repeat(x, np.array([1, 2]), axis=0),
    "roll along two axes": lambda x: anp.roll(x, (1, 1), axis=(0, 1)),
    "rot90 with axes": lambda x: anp.rot90(x, 1, (1, 0)),
}
expected, got = dict.fromkeys(functions, "defined"), {}
for name, function in functions.items():
    try:
        pull, value = make_vjp(function)(x)
        pull(np.ones_like(value))
        got[name] = "defined"
    except Exception as error:
        got[name] = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
