"""How elements lie in memory."""

from __future__ import annotations

import numpy as np

from .tensor import Array


def is_dense(array: Array) -> bool:
    """Whether the elements fill one piece of memory, in whatever order of dimensions."""
    if array.flags.forc or array.size == 0:
        return True
    expected = array.itemsize
    for step, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size != 1:
            if step != expected:
                return False
            expected *= size
    return True


def laid_out(source: Array, like: Array) -> Array:
    """A copy of `source` with the strides of `like` if that is dense, else in row-major order."""
    if is_dense(like):
        made = np.empty_like(like, source.dtype)
    else:
        made = np.empty(like.shape, source.dtype)
    np.copyto(made, source)
    return made
