"""Mapped, a write where a mask is true has a wrong gradient by values that are more than it takes.

The gradients of all that is mapped over lie one behind the other, and what follows is zero. Each by
itself is right, and so is vmap of the gradient. Searched for in the issues of the library on
2026-11-30: nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)
mask = mx.array([True, False])


def filled(x: mx.array, values: mx.array) -> mx.array:
    """Write into a copy."""
    copy = mx.array(x)
    copy[mask] = values
    return copy


x, values = mx.zeros((2, 2)), mx.zeros((2, 2))
cotangent = mx.array([[1.0, 2.0], [3.0, 4.0]])
_, (_, gradient) = mx.vjp(mx.vmap(filled), [x, values], [cotangent])
expected, got = [[1.0, 0.0], [3.0, 0.0]], gradient.tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
