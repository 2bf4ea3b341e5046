"""prelu of one column by no slopes has a column, where the same expression has none."""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
x, slopes = mx.zeros((2, 1)), mx.zeros((0,))
expected = (mx.maximum(0, x) + slopes * mx.minimum(0, x)).shape
got = nn.prelu(x, slopes).shape
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
