"""Weights that are computed of other parameters, as `torch.nn.utils.parametrizations` has them.

On jets their derivatives by these parameters follow, and how far rounding may carry both.
"""

from typing import Any

import numpy as np

from .jets import Array, Jet, call, held

Matrix = Any
"""An array, or a jet."""


def weight_norm(size: Matrix, way: Matrix, axis: int | None = 0) -> Matrix:
    """Give each part of `way` along an axis, or all of it, the length that `size` says."""
    others = tuple(other for other in range(way.ndim) if other != axis)
    return size * way / np.sqrt((way * way).sum(others, keepdims=True))


def spectral_norm(
    weight: Jet, left: Array, right: Array, *, axis: int, iterations: int
) -> tuple[Jet, Jet, Jet]:
    """Divide a weight by the norm that power iterations find, which are not differentiated.

    The matrix has an axis of the weight for its rows, and all others for its columns. See Miyato,
    Kataoka, Koyama & Yoshida (ICLR 2018), algorithm 1. Return the weight and the two vectors.
    """
    axes = [axis, *(other for other in range(weight.ndim) if other != axis)]
    matrix = call(np.transpose, weight, axes).reshape(weight.shape[axis], -1)
    constant, u, v = held(matrix), Jet.exact(left), Jet.exact(right)
    for _ in range(iterations):
        u = constant @ v
        u = u / np.sqrt((u * u).sum())
        v = u @ constant
        v = v / np.sqrt((v * v).sum())
    return weight / (u @ matrix @ v), u, v


def orthogonal(ways: Jet, kind: str, base: Array | None = None) -> Jet:
    """Turn a matrix into one whose rows, or columns if these are fewer, are orthonormal.

    A base is a square matrix that is orthogonal itself, by which the columns are multiplied. What
    rounding does to the result is bounded by norms, not entry by entry.
    """
    wide = ways.shape[0] < ways.shape[1]
    tall = ways.T if wide else ways
    made = reflection(tall) if kind == "householder" else rotation(tall, kind)
    if base is not None:
        made = base @ made
    for errors in (made.numbers[1, :, :1], made.numbers[1, :, 1:]):
        errors[...] = errors.max()
    return made.T if wide else made


def reflection(ways: Jet) -> Jet:
    """Reflect along what stands below the diagonal of each column, and return the first columns.

    The entry on the diagonal, 1 or -1, is the sign of a column. See LAPACK's orgqr, and Higham,
    Accuracy and Stability of Numerical Algorithms, 2nd ed., section 19.3.
    """
    height, width = ways.shape
    columns: Matrix = np.eye(height, width)
    for at in reversed(range(width)):
        along = ways[:, at] * (np.arange(height) > at) + np.eye(height)[at]
        columns = columns - 2 / (along * along).sum() * along[:, None] * (along @ columns)
    made: Jet = columns * np.diag(ways.value)
    return made


def rotation(ways: Jet, kind: str) -> Jet:
    """Rotate as the entries below the diagonal say, and return the first columns.

    They make a matrix A that is the negative of its transpose, of three rows at the most, so that
    A^3 = -t^2 A, t^2 being the sum of their squares. Its exponential is Rodrigues' formula, and
    Cayley's transform (1 + A / 2) (1 - A / 2)^-1 has a series of the same kind.
    """
    height, width = ways.shape
    below = ways * np.tril(np.ones((height, width)), -1)
    square = below @ np.eye(width, height)
    skew, squares = square - square.T, (below * below).sum()
    if kind == "matrix_exp":
        t = np.sqrt(squares)
        first, second = np.sin(t) / t, (1 - np.cos(t)) / squares
    else:
        first = 1 / (1 + squares / 4)
        second = first / 2
    made: Jet = np.eye(height) + first * skew + second * (skew @ skew)
    return made @ np.eye(height, width)
