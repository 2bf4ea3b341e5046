"""The gradient of x ** 0 at zero is nan: the exponent is multiplied by 0 ** -1.

That by the exponent was nan once, see https://github.com/ml-explore/mlx/issues/628. Searched in
ml-explore/mlx on 2026-11-29 for power, zero and nan: nothing else.
"""

import sys

import mlx.core as mx

got = mx.grad(lambda x: (x**0).sum())(mx.array([0.0]))[0].item()
print("expected", 0.0)
print("got     ", got)
sys.exit(got != 0)
