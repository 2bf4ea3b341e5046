"""power: the mixed second derivative of x ** y is wrong at y = 0.

d/dx (x ** y) is y * x ** (y - 1), whose derivative by y at y = 0 is 1 / x. For the sake of x = 0 the
exponent is replaced by 1 where y = 0; its derivative then is that of y * x ** 1, which is x.
"""

import sys

from autograd import grad
from autograd import numpy as anp

by_x = grad(anp.power, 0)
expected = 0.25
got = float(grad(by_x, 1)(4.0, 0.0))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
