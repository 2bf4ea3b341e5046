"""roll along one axis twice: the last of the two shifts is the only one.

PyTorch's roll, which tinygrad's follows, and NumPy's do one after the other. Searched in
tinygrad/tinygrad on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected, got = [2.0, 3.0, 1.0], Tensor([1.0, 2.0, 3.0]).roll((1, 1), (0, 0)).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
