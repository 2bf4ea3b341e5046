"""The diagonal below the first one of a matrix without rows is refused."""

import os
import sys

import numpy as np

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected = (0,)
try:
    got = Tensor(np.zeros((0, 3), np.float32)).diagonal(-1).shape
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
