"""celu has the derivative 0 at 0, where it is smooth and its slope 1; prelu has more than 1 there.

Both are a sum of a maximum and a minimum with zero. At a tie each gives all of its gradient to its
second argument: that is the zero in celu, twice, and x in prelu, twice, so that the slope is 1 and
that of negative numbers added up. Searched for on 2026-11-23; nothing was found.
"""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)

functions = {"celu": nn.celu, "prelu of slope 0.25": lambda x: nn.prelu(x, mx.array(0.25))}
bounds = {"celu": (1.0, 1.0), "prelu of slope 0.25": (0.25, 1.0)}
got = {name: mx.grad(f)(mx.array(0.0)).item() for name, f in functions.items()}
print("expected between", bounds)
print("got             ", got)
sys.exit(not all(low <= got[name] <= high for name, (low, high) in bounds.items()))
