"""The second derivative of tanh is nan from where cosh overflows.

The function is flat there, and its second derivative zero; the rule divides by the square of cosh.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected = 0.0
got = mx.grad(mx.grad(mx.tanh))(mx.array(1000.0)).item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
