"""logcumsumexp: the third derivative is nan, wherever it is asked for.

Its gradient is computed from logarithms of the positive and of the negative part of the cotangent.
One of the two is zero in each entry; what is chosen instead of its logarithm has a first derivative,
and no second one. Searched for on 2026-11-23; nothing was found.
"""

import math
import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)


def last(t):
    """The logarithm of e ** t + 1, whose derivatives are those of the sigmoid."""
    return mx.logcumsumexp(mx.stack([t, mx.array(0.0)]), axis=0)[1]


s = 1 / (1 + math.exp(-0.5))
expected = s * (1 - s) * (1 - 2 * s)
got = mx.grad(mx.grad(mx.grad(last)))(mx.array(0.5)).item()
print("expected", expected)
print("got     ", got)
sys.exit(not abs(got - expected) < 1e-4)
