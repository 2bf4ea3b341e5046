"""The gradient of logcumsumexp is nan at a first entry of -inf, whose power of e is zero.

The result there is -inf, and its cotangent zero; the other results do not depend on the entry.
Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

expected = [0.0, 1.0]
got = mx.grad(lambda x: mx.logcumsumexp(x)[1])(mx.array([-mx.inf, 1.0])).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
