"""repeat: the gradient of repeating no entries cannot be computed."""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.zeros(0))
value = mg.repeat(x, 2)
assert value.shape == (0,)
expected = []
try:
    value.backward(np.zeros(0))
    got = x.grad.tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
