"""Weights that are computed of other parameters, as `torch.nn.utils.parametrizations` has them.

On jets their derivatives by these parameters follow, and how far rounding may carry both.
"""

from typing import Any

import numpy as np

from .jets import Jet

Matrix = Any
"""An array, or a jet."""


def weight_norm(size: Matrix, way: Matrix) -> Matrix:
    """Give each row of `way` the length that `size` says."""
    return size * way / np.sqrt((way * way).sum(1, keepdims=True))


def spectral_norm(weight: Matrix, left: Matrix, right: Matrix) -> Matrix:
    """Divide a weight by what two vectors that are constants find to be its norm."""
    return weight / (left @ weight @ right)


def orthogonal(ways: Jet) -> Jet:
    """Reflect along what stands above the diagonal of each row, and return the first rows.

    The entry on the diagonal, 1 or -1, is the sign of a row. See LAPACK's orgqr. What rounding does
    to reflections is bounded by norms, not entry by entry (Higham, section 19.3).
    """
    count, width = ways.shape
    rows: Matrix = np.eye(count, width)
    for at in reversed(range(count)):
        along = ways[at] * (np.arange(width) > at) + np.eye(width)[at]
        rows = rows - 2 / (along * along).sum() * (rows @ along)[:, None] * along
    made: Jet = rows * np.diag(ways.value)[:, None]
    for errors in (made.numbers[1, :, :1], made.numbers[1, :, 1:]):
        errors[...] = errors.max()
    return made
