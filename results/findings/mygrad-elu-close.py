"""elu loses its digits close to 0, where it computes exp(x) - 1: in float32 it is 0 there.

Below zero elu is expm1, which MyGrad has. Searched in rsokl/MyGrad on 2026-11-22: nothing.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.float32([-(2.0**-27)]))
expected, got = mg.expm1(x).item(), mg.nnet.elu(x, 1.0).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
