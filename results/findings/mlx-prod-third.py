"""prod: the third derivative is nan where a factor is zero.

The first two are right. The gradient is made of cumulative products, whose second derivatives are
nan there. Searched for on 2026-11-23; nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

third = mx.grad(mx.grad(mx.grad(lambda t: mx.prod(mx.array([0.0, 0.5, 2.0]) + t))))
expected = 6.0
got = third(mx.array(0.0)).item()
print("expected", expected)
print("got     ", got)
sys.exit(not abs(got - expected) < 1e-4)
