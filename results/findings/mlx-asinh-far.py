"""The gradient of asinh is zero from 2 ** 64 on, in float32, where it is about 1 / x.

The rule takes the square of the argument, which overflows. The same holds for acosh.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected = 2.0**-100
got = mx.grad(mx.arcsinh)(mx.array(2.0**100)).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
