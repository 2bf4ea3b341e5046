"""One nan among the entries takes the place of others, or is lost itself, where they are sorted.

The bitonic sort exchanges entries by their maximum and minimum: of a number and a nan both are the
one or the other, by the order in which these are given. Gradients of what is lost are lost too.
topk takes the first of what is sorted. Searched in tinygrad/tinygrad on 2026-11-30 for "sort nan
bitonic topk": nothing.
"""

import math
import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

numbers = [3.0, float("nan"), 1.0, 2.0]
expected = [1.0, 2.0, 3.0]
got = [x for x in Tensor(numbers).sort()[0].tolist() if not math.isnan(x)]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
