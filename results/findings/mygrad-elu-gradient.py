"""The gradient of elu loses its digits below zero: it adds alpha to alpha * (exp(x) - 1).

What is left of exp(x) after 1 is taken away has an error of half a unit of 1, however small
exp(x) is. Searched in rsokl/MyGrad on 2026-11-25: nothing.
"""

import sys

import mygrad as mg
import numpy as np

x = mg.tensor(np.float32([-10.0]))
mg.nnet.elu(x, 1.0).backward()
expected, got = float(np.exp(-10.0)), float(x.grad[0])
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-5 * expected)
