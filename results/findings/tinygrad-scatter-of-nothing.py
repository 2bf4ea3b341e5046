"""scatter of a tensor without rows is refused, where there is nothing to write."""

import os
import sys

import numpy as np

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x = Tensor(np.zeros((0, 3, 2), np.float32))
places = Tensor(np.zeros((0, 3, 2), np.int32))
expected = (0, 3, 2)
try:
    got = x.scatter(0, places, x).numpy().shape
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
