"""BatchNorm: second derivatives are wrong, for the variance takes the mean of the batch as given.

Detached from the entries the mean changes no first derivative, but a second one. Differences of
first derivatives say what it is. Searched in tinygrad/tinygrad on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Context, Tensor, dtypes, nn

STEP, START = 2.0**-10, [-0.5, -2.0, 1.5]
layer = nn.BatchNorm(1, 0.25, affine=False, track_running_stats=False)


def slope(numbers):
    """The entries, and the derivative by the first of them."""
    x = Tensor([[number] for number in numbers], dtype=dtypes.float64)
    with Context(TRAINING=1):
        value = (layer(x) * Tensor([[4.0], [-3.0], [2.0]], dtype=dtypes.float64)).sum()
    return x, value.gradient(x)[0][0, 0]


ahead, behind = (slope([START[0] + d, *START[1:]])[1].item() for d in (STEP, -STEP))
x, first = slope(START)
expected = round((ahead - behind) / (2 * STEP), 3)
got = round(first.gradient(x)[0][0, 0].item(), 3)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
