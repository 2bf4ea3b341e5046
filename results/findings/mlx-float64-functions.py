"""exp, sin, cos and erf of float64 are computed in float32, and with them all that is made of them.

https://github.com/ml-explore/mlx/issues/3047 and https://github.com/ml-explore/mlx/issues/4158
"""

import sys

import numpy as np
from mlx import core as mx

mx.set_default_device(mx.cpu)

x = np.array([0.3, 1.7, -2.9])
functions = {"exp": (mx.exp, np.exp), "sin": (mx.sin, np.sin), "cos": (mx.cos, np.cos)}
expected = dict.fromkeys(functions, "less than 1e-14 off")
got = {}
for name, (function, true) in functions.items():
    off = np.abs(np.array(function(mx.array(x, dtype=mx.float64))) / true(x) - 1).max()
    got[name] = expected[name] if off < 1e-14 else f"{off:.1e} off"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
