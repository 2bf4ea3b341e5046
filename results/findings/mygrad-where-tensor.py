"""where: a condition that is a tensor ends in endless recursion; an array is taken.

Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import sys

import mygrad as mg
import numpy as np

condition = mg.tensor(np.array([True, False]))
expected = [1.0, 4.0]
try:
    got = mg.where(condition, mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0])).data.tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
