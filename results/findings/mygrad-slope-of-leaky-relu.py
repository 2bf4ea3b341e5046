"""The gradient of leaky_relu at 0 is 0, though it is the slope below and 1 above.

No mean of the two is zero. Searched in rsokl/MyGrad on 2026-11-22: nothing.
"""

import sys

import mygrad as mg

x = mg.tensor([-1.0, 0.0, 1.0])
mg.nnet.leaky_relu(x, 0.5).sum().backward()
expected, got = "0.5 to 1.0", x.grad.tolist()[1]
print("expected", expected)
print("got     ", got)
sys.exit(not 0.5 <= got <= 1.0)
