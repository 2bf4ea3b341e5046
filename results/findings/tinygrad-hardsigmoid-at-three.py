"""hardsigmoid at 3: rounding decides which side it is on, so that its gradient hangs on the dtype.

It is a difference of two relus of x / 6 + 1 / 2, each of which is a choice of its own. Searched in
tinygrad/tinygrad on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor, dtypes

got = {}
for dtype in (dtypes.float32, dtypes.float64):
    x = Tensor([3.0], dtype=dtype)
    got[dtype.name] = round(x.hardsigmoid().gradient(x, gradient=Tensor([1.0]))[0].item(), 4)
expected = dict.fromkeys(got, got["double"])
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
