"""relu, relu6, elu and hardsigmoid of what is no number are zero: a comparison with it is false.

maximum(x, 0) of the same library keeps it. Searched in tinygrad/tinygrad on 2026-11-23 for relu and
nan: nothing.
"""

import math
import sys

from tinygrad import Tensor

names = ("relu", "relu6", "elu", "hardsigmoid")
got = {name: getattr(Tensor([math.nan]), name)().item() for name in names}
print("expected", dict.fromkeys(names, Tensor([math.nan]).maximum(0).item()))
print("got     ", got)
sys.exit(not all(map(math.isnan, got.values())))
