"""conv1d of float64 with a stride of 2 is computed, and refuses to be differentiated by images.

Searched for on 2026-11-22; nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

images, kernels = (mx.ones(shape, mx.float64) for shape in ((1, 3, 1), (1, 2, 1)))
assert mx.conv1d(images, kernels, stride=2).tolist() == [[[2.0]]]
expected = [[[1.0], [1.0], [0.0]]]
try:
    got = mx.grad(lambda x: mx.conv1d(x, kernels, stride=2).sum())(images).tolist()
except ValueError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
