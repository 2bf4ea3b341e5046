"""What is written to every second entry of a tensor in memory is not there afterwards.

Nor is what is written to the only column of a matrix. Of a tensor that has not been computed yet
both are. The pull request https://github.com/tinygrad/tinygrad/pull/17855 mends it after 0.14.
"""

import os
import sys

import numpy as np

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected = np.array([1.0, 9.0, 2.0, 9.0])
x = Tensor([9.0, 9.0, 9.0, 9.0]).realize()
x[::2] = Tensor([1.0, 2.0])
got = x.numpy()
print("expected", expected)
print("got     ", got)
sys.exit(not np.array_equal(got, expected))
