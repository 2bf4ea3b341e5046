"""The gradient of the standard deviation of one number divides by zero in Python, and raises.

The value is nan, with a warning, as in NumPy; so might its gradient be.
"""

import sys
import warnings

import mygrad as mg
import numpy as np

warnings.simplefilter("ignore")
x = mg.tensor(np.array([2.0]))
expected = "[nan]"
try:
    mg.std(x, ddof=1).backward()
    got = str(x.grad.tolist())
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
