"""einsum: an axis named twice in one operand gives another axis, or other values, in silence.

Reported as https://github.com/tinygrad/tinygrad/issues/18207, and mended after 0.14.0.
"""

import os
import sys

import numpy as np

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
expected = np.einsum("bbi->i", x).tolist()
try:
    got = Tensor.einsum("bbi->i", Tensor(x)).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
