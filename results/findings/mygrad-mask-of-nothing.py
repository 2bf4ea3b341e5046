"""A mask without entries that is a tensor is taken for indices."""

import sys

import mygrad as mg
import numpy as np

expected = "(0,)"
x, mask = mg.tensor(np.zeros((2, 0))), mg.tensor(np.zeros((2, 0), dtype=bool))
got = str(x[mask].shape)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
