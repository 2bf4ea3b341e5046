"""The gradients of power and arctan2 beside float32 have half of the digits of float64.

One operand is of float32, the other and the result are of float64. The rules take the logarithm,
or the square, of the narrow operand in float32.
Searched for in the issues of the library on 2026-11-25: nothing was found.
"""

import math
import sys

import autograd.numpy as np
from autograd import grad

narrow, wide = np.array(1.25, np.float32), np.array(2.5)
# A square that float32 has not.
odd = np.array(1 + 2.0**-12 + 2.0**-11, np.float32)
expected = [1.25**2.5 * math.log(1.25), -float(odd) / (2.5**2 + float(odd) ** 2)]
got = [float(grad(np.power, 1)(narrow, wide)), float(grad(np.arctan2, 1)(odd, wide))]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(g - e) > 1e-12 for g, e in zip(got, expected, strict=True)))
