"""An infinite entry shares its gradient with infinities that only stand for what lies outside.

Searched in tinygrad/tinygrad on 2026-11-25: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor, dtypes

x = Tensor([float("-inf"), 2.0, 1.0], dtype=dtypes.float64)
expected = [1.0, 2.0, 0.0]
got = x.cummax(0)[0].sum().gradient(x)[0].tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
