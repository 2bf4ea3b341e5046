"""svd of a matrix of one entry ends in ValueError.

Searched in tinygrad/tinygrad on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected = [2.0]
try:
    got = Tensor([[2.0]]).svd()[1].tolist()
except ValueError as error:
    got = f"ValueError: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
