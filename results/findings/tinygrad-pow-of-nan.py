"""A power of exponents among which one is not a number cannot be computed on the device PYTHON.

Its result is not a number; what is raised is a ValueError of Python, for a parity is asked of it.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

try:
    got = str((Tensor([2.0, 2.0]) ** Tensor([1.0, float("nan")])).tolist())
except ValueError as error:
    got = repr(error)
expected = "[2.0, nan]"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
