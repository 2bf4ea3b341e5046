"""asin, acos, atan and erf of float64 are exact to float32 only: polynomials of few terms."""

import math
import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor, dtypes

x = Tensor([0.5], dtype=dtypes.float64)
expected = [math.asin(0.5), math.acos(0.5), math.atan(0.5), math.erf(0.5)]
got = [function(x).item() for function in (Tensor.asin, Tensor.acos, Tensor.atan, Tensor.erf)]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(g - e) > 1e-14 for g, e in zip(got, expected, strict=True)))
