"""The gradients of power and arctan2 beside float32 have half of the digits of float64.

One operand is of float32, the other and the result are of float64. The rules take the logarithm,
or the square, of the narrow operand in float32.
Searched for in the issues of the library on 2026-11-25: nothing was found.
"""

import math
import sys

import mygrad as mg
import numpy as np

narrow, wide, other = mg.tensor(np.float32(1.25)), mg.tensor(2.5), mg.tensor(2.5)
# A square that float32 has not.
odd = mg.tensor(np.float32(1 + 2.0**-12 + 2.0**-11))
mg.power(narrow, wide).backward()
mg.arctan2(odd, other).backward()
y = float(odd.data)
expected = [1.25**2.5 * math.log(1.25), -y / (2.5**2 + y * y)]
got = [float(wide.grad), float(other.grad)]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(g - e) > 1e-12 for g, e in zip(got, expected, strict=True)))
