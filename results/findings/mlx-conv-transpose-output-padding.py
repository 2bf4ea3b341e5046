"""conv_transpose1d with an output padding: the gradient by images is shorter than they are.

Of three entries two have a gradient, and nothing is said; so it is along each axis of
conv_transpose2d and conv_transpose3d. Searched for on 2026-11-23; nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

images, kernels = mx.ones((1, 3, 1)), mx.ones((1, 1, 1))


def spread(x):
    """Put a zero after each entry."""
    return mx.conv_transpose1d(x, kernels, stride=2, output_padding=1)


assert spread(images).tolist() == [[[1.0], [0.0], [1.0], [0.0], [1.0], [0.0]]]
expected = [[[1.0], [1.0], [1.0]]]
got = mx.grad(lambda x: spread(x).sum())(images).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
