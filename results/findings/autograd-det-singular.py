"""The gradient of det refuses a singular matrix, whose cofactors it is."""

import sys

import autograd.numpy as np
from autograd import grad

try:
    found = grad(np.linalg.det)(np.array([[1.0, 2.0], [2.0, 4.0]])).tolist()
except np.linalg.LinAlgError as error:
    found = f"{type(error).__name__}: {error}"
expected = [[4.0, -2.0], [-2.0, 1.0]]
print("expected", expected)
print("got     ", found)
sys.exit(found != expected)
