"""conv2d with a stride of 2: the gradient by the cotangent of the gradient has another shape.

The gradient by images is linear in the cotangent, whose shape its own gradient has to have. Searched
for on 2026-11-22; https://github.com/ml-explore/mlx/issues/2184 was about first gradients.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

images, kernels = mx.ones((1, 2, 2, 2)), mx.ones((3, 1, 1, 2))


convolve = lambda x: mx.conv2d(x, kernels, stride=2)  # noqa: E731
gradient = lambda g: mx.vjp(convolve, [images], [g])[1][0].sum()  # noqa: E731
expected = (1, 1, 1, 3)
got = mx.grad(gradient)(mx.ones(expected)).shape
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
