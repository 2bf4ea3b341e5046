"""selu is right to six digits only: its two constants are given with so many.

They have sixteen in the paper that introduced it (Klambauer et al., 2017). Searched in
tinygrad/tinygrad on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor, dtypes

expected, got = 1.0507009873554805, Tensor([1.0], dtype=dtypes.float64).selu().item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-12)
