"""Reading a result that is contiguous cuts it off: its gradient then is zero, without a word.

Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected, got = {}, {}
for read in (False, True):
    x = Tensor([[1.0, 2.0]])
    y = (x * x).contiguous()
    if read:
        y.numpy()
    (gradient,) = y.gradient(x, gradient=Tensor([[1.0, 1.0]]))
    word = "read before" if read else "not read"
    expected[word], got[word] = [[2.0, 4.0]], (gradient + 0 * x).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
