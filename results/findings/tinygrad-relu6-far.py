"""relu6 of a large number is 0.

It is relu(x) - relu(x - 6), in which 6 is lost beside x.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected, got = 6.0, Tensor([2.0**60]).relu6().item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
