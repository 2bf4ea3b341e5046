"""linalg.norm: forward mode at an array of no entries gives nan; the norm is the constant 0."""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

nothing = mx.zeros((0,))
(value,), (tangent,) = mx.jvp(mx.linalg.norm, [nothing], [nothing])
expected, got = [0.0, 0.0], [value.item(), tangent.item()]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
