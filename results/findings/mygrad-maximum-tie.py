"""maximum and minimum: where the arguments are equal, neither receives anything.

maximum(x, x) is x, so its derivative is one. MyGrad gives zero.
"""

import sys

import mygrad as mg

expected, got = {}, {}
for choose in (mg.maximum, mg.minimum):
    x = mg.tensor([2.0, 3.0])
    choose(x, x).sum().backward()
    expected[choose.__name__], got[choose.__name__] = [1.0, 1.0], x.grad.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
