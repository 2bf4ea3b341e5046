"""The gradient of a scalar that is used twice, once by a key, is refused."""

import sys

import autograd.numpy as np
from autograd import grad

expected = "3.0"
try:
    got = str(grad(lambda x: x[...] + x * x)(np.array(1.0)))
except TypeError as error:
    got = f"TypeError: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
