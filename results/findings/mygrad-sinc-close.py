"""The derivative of sinc is nan close to 0 in float32, where it is 0.

It is divided by the square of x, which underflows. A relative of what
https://github.com/rsokl/MyGrad/pull/426 made better.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.array([2.0**-100], np.float32))
mg.sinc(x).backward()
print("expected", 0.0)
print("got     ", x.grad[0])
sys.exit(not abs(x.grad[0]) < 1e-6)
