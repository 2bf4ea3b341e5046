"""The sign of nan is one.

What is neither zero nor below zero is taken for a positive number. Searched in tinygrad/tinygrad on
2026-11-30 for "sign nan": nothing.
"""

import math
import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

got = Tensor([math.nan]).sign().item()
print("expected nan")
print("got     ", got)
sys.exit(not math.isnan(got))
