"""The gradient of a number of float32 is of float64 where functions are given masks.

Without a mask it is of float32, as the number is.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.float32(2.5))
mg.log2(x).backward()
expected = str(x.grad.dtype)
x = mg.tensor(np.float32(2.5))
made = mg.zeros((), dtype=np.float32)
for mask in (True, False):
    mg.log2(x, where=np.array(mask), out=made)
made.backward()
got = str(x.grad.dtype)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
