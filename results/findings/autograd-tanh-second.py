"""The second derivative of tanh is nan from where cosh overflows.

The function is flat there, and its second derivative zero; the rule divides by the square of cosh.
"""

import sys

from autograd import grad
from autograd import numpy as np

expected = 0.0
got = float(grad(grad(np.tanh))(1000.0))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
