"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ShapeMismatch
from .primitives import Primitive, primitive
from .shaping import squeeze, transpose, unsqueeze
from .tensor import Tensor


def _flipped(x: Any) -> Any:
    return transpose(x, -1, -2) if isinstance(x, Tensor) else x.swapaxes(-1, -2)


_matmul: Primitive = primitive(
    "matmul", np.matmul, linear=True, broadcasts=True,
    x=lambda g, y: _matmul(g, _flipped(y)),
    y=lambda g, x: _matmul(_flipped(x), g),
)  # fmt: skip


def matmul(x: Any, y: Any) -> Any:
    """The matrix product.

    Leading dimensions broadcast; a vector is a row on the left and a column on the right, and its
    dimension is dropped again. Raises ShapeMismatch, also for scalars.
    """
    if x.ndim == 0 or y.ndim == 0:
        raise ShapeMismatch("matmul: both arguments need to be at least 1-d")
    if x.ndim >= 2 and y.ndim >= 2:
        return _matmul(x, y)
    out = _matmul(unsqueeze(x, 0) if x.ndim == 1 else x, unsqueeze(y, 1) if y.ndim == 1 else y)
    if y.ndim == 1:
        out = squeeze(out, -1)
    return squeeze(out, -1 if y.ndim == 1 else -2) if x.ndim == 1 else out
