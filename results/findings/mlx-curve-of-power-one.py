"""The second derivative of x ** 1 at zero is nan: the exponent less one is multiplied by 0 ** -1.

The first derivative of x ** 0 is nan in the same way, see mlx-power-of-zero.py. Searched in
ml-explore/mlx on 2026-11-30 for power, zero and nan: nothing else.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)

slope = mx.grad(lambda x: (x**1).sum())
got = mx.grad(lambda x: slope(x).sum())(mx.array([0.0]))[0].item()
print("expected", 0.0)
print("got     ", got)
sys.exit(got != 0)
