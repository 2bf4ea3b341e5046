"""The largest entry is nan, where that comes first, but its place is said to be another one.

The issue https://github.com/tinygrad/tinygrad/issues/862 is about nan in the maximum.
"""

import math
import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

x = Tensor([float("nan"), 2.0, 1.0, 5.0])
found = x.argmax().item()
largest, there = x.max().item(), x.tolist()[int(found)]
print("expected", largest, "at the place of the largest entry")
print("got     ", there)
sys.exit(math.isnan(largest) != math.isnan(there))
