"""The third derivative of 3 ** x has one first derivative too many.

The derivative by the exponent is chosen by `where`, with the power itself as the condition. The
gradient by one branch is a product with that condition, cast to numbers, and the casts, from numbers
to truth values and back, let a gradient pass as if they were smooth. It is so of any condition that
is no truth value: the second derivative of where(x, x * x, 0) is 3. Searched for on 2026-11-23;
nothing was found.
"""

import math
import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

x = mx.array(0.5)
third = mx.grad(mx.grad(mx.grad(lambda x: mx.power(mx.array(3.0), x))))
chosen = mx.grad(mx.grad(lambda x: mx.where(x, x * x, mx.array(0.0))))
expected = [math.sqrt(3) * math.log(3) ** 3, 2.0]
got = [third(x).item(), chosen(x).item()]
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(g - e) > 1e-4 for g, e in zip(got, expected, strict=True)))
