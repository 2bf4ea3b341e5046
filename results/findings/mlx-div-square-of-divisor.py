"""The gradient of a divisor is infinite where its square underflows, in float32.

The derivative of x / y by y is -x / y / y, an ordinary number for small x and y; the rule divides
by the square of y.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = y = mx.array(2.0**-100)
expected = -(2.0**100)
got = mx.grad(mx.divide, 1)(x, y).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
