"""cumprod: an entry that is not a number takes the gradients of all other rows with it.

The rule looks for zeros in the whole array, and where there are none divides nothing at all.
Searched for in the issues of the library on 2026-11-22: not found.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor([[8.0, 9.0], [np.nan, 1.0]])
mg.cumprod(x, axis=1).backward(np.ones((2, 2)))
expected = [10.0, 8.0]
got = x.grad[0].tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
