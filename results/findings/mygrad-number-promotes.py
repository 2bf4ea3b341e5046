"""A number of Python makes float64 of a tensor of float32.

In NumPy 2 the result of such an operation is float32.
Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.ones(2, np.float32))
results = {"x * 2.0": x * 2.0, "x + 1": x + 1, "clip(x, 0.0, 1.0)": mg.clip(x, 0.0, 1.0)}
expected = dict.fromkeys(results, "float32")
got = {name: str(result.dtype) for name, result in results.items()}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
