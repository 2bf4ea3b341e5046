"""Products of jets, and what is computed from one matrix.

A product is spread out into its terms, which are multiplied entry by entry and added up. What
LAPACK computes by a factorization is known by its backward error: what comes out is true of a
matrix that is off by a few roundings (Higham, sections 9.3, 10.1, 14.2 and 14.6, and LAPACK Users'
Guide, 3rd ed., section 4.7).
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .jets import FUNCTIONS, UFUNCS, Array, Jet, Operand, differentials, lifted, multiply
from .movements import flat

# ---- sums of products ----------------------------------------------------------------------------


def einsum(equation: str, *operands: Operand) -> Jet:
    """Add up products of entries that are named by letters."""
    inputs, _, kept = equation.partition("->")
    like = next(x for x in operands if isinstance(x, Jet))
    names = inputs.split(",")
    given = [lifted(x, like) for x in operands]
    sizes = {k: n for x, own in zip(given, names, strict=True)
             for k, n in zip(own, x.shape, strict=True)}  # fmt: skip
    letters = kept + "".join(k for k in sizes if k not in kept)
    grid = dict(zip(letters, np.ogrid[tuple(slice(sizes[k]) for k in letters)], strict=True))
    spread = [
        Jet(flat(x).take(x.places[tuple(grid[k] for k in own)], -1))
        for x, own in zip(given, names, strict=True)
    ]
    terms = spread[0]
    for each in spread[1:]:
        terms = multiply(terms, each)
    return terms.sum(tuple(range(len(kept), len(letters))))


def matmul(x: Operand, y: Operand) -> Jet:
    """Multiply matrices, or vectors."""
    like = x if isinstance(x, Jet) else y
    assert isinstance(like, Jet)
    a, b = lifted(x, like), lifted(y, like)
    left = a[None] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    made = (left[..., :, :, None] * right[..., None, :, :]).sum(-2)
    made = made[..., 0, :] if a.ndim == 1 else made
    return made[..., 0] if b.ndim == 1 else made


def tensordot(x: Operand, y: Operand, axes: int = 2) -> Jet:
    """Sum over the last axes of one operand and the first ones of another."""
    like = x if isinstance(x, Jet) else y
    assert isinstance(like, Jet)
    a, b = lifted(x, like), lifted(y, like)
    left, right = a.shape[: a.ndim - axes], b.shape[axes:]
    inner = prod(b.shape[:axes])
    made = matmul(a.reshape((prod(left), inner)), b.reshape((inner, prod(right))))
    return made.reshape((*left, *right))


def _inner(x: Jet, y: Jet) -> Jet:
    if not (x.ndim and y.ndim):
        return multiply(x, y)
    return tensordot(x, y.T if y.ndim == 2 else y, 1)


def _outer(x: Jet, y: Jet) -> Jet:
    return multiply(x.ravel()[:, None], y.ravel())


def _kronecker(x: Jet, y: Jet) -> Jet:
    rank = max(x.ndim, y.ndim)
    a, b = ((1,) * (rank - each.ndim) + each.shape for each in (x, y))
    left = x.reshape([n for size in a for n in (size, 1)])
    right = y.reshape([n for size in b for n in (1, size)])
    return multiply(left, right).reshape([n * m for n, m in zip(a, b, strict=True)])


def _cross(x: Jet, y: Jet) -> Jet:
    after, before = [1, 2, 0], [2, 0, 1]
    return x[..., after] * y[..., before] - x[..., before] * y[..., after]


# ---- what is computed from one matrix ------------------------------------------------------------


def _base(x: Jet, value: Array, error: Array) -> Jet:
    made = Jet.exact(value, like=x)
    made.numbers[1, 0, 0] = error
    return made


def _eliminated(a: Array) -> Array:
    """What elimination may be off in each entry of a matrix, in units of the unit roundoff.

    At most gamma(3n) |L| |U| (Higham, theorems 9.3 and 9.4), rows being exchanged so that the
    largest entry of what is left of each column leads.
    """
    n = a.shape[-1]
    places = np.broadcast_to(np.arange(n), a.shape[:-1])
    order, lower, upper = places, np.zeros_like(a), a
    for k in range(n - 1):
        largest = k + np.abs(upper[..., k:, k]).argmax(-1)[..., None]
        exchanged = np.where(places == k, largest, np.where(places == largest, k, places))
        order = np.take_along_axis(order, exchanged, -1)
        lower, upper = (
            np.take_along_axis(each, exchanged[..., None], -2) for each in (lower, upper)
        )
        lower[..., k + 1 :, k] = upper[..., k + 1 :, k] / upper[..., k, k, None]
        upper[..., k + 1 :, :] -= lower[..., k + 1 :, k, None] * upper[..., k, None, :]
    size: Array = 3 * n * (np.abs(lower + np.eye(n)) @ np.abs(upper))
    return np.take_along_axis(size, order.argsort(-1)[..., None], -2)


def inverse(x: Jet) -> Jet:
    """The inverse: of a matrix that is moved by d, by its series, which ends where jets do."""
    a = x.value
    y = np.linalg.inv(a)
    size = np.abs(y)
    base = _base(x, y, size @ (x.error + _eliminated(a)) @ size)
    if x.numbers.shape[1:3] == (1, 1):
        return base
    step = matmul(base, differentials(x))
    return base - matmul(step, base) + matmul(step, matmul(step, base))


def _solved(x: Operand, y: Operand) -> Jet:
    like = x if isinstance(x, Jet) else y
    assert isinstance(like, Jet)
    return matmul(inverse(lifted(x, like)), y)


def _determinant(x: Jet) -> Jet:
    a = x.value
    y, value = inverse(Jet(x.numbers[:, :1, :1])), np.linalg.det(a)
    off = (np.abs(y.value).swapaxes(-2, -1) * (x.error + _eliminated(a))).sum((-2, -1))
    base = _base(x, value, np.abs(value) * (off + a.shape[-1]))
    if x.numbers.shape[1:3] == (1, 1):
        return base
    step = matmul(y, differentials(x))
    trace, square = (_traced(each) for each in (step, matmul(step, step)))
    return base + base * (trace + (trace * trace - square) / 2)


def _traced(x: Jet) -> Jet:
    n = np.arange(x.shape[-1])
    return x[..., n, n].sum(-1)


def _raised(x: Jet, exponent: int) -> Jet:
    if exponent == 0:
        return Jet.exact(np.broadcast_to(np.eye(x.shape[-1]), x.shape), like=x)
    made = factor = x if exponent > 0 else inverse(x)
    for _ in range(abs(exponent) - 1):
        made = matmul(made, factor)
    return made


def _eigenvalues(x: Jet) -> Jet:
    """The eigenvalues of symmetric matrices, which move by no more than the matrix (Weyl)."""
    off = np.sqrt((x.error * x.error).sum((-2, -1)))
    value = np.linalg.eigvalsh(x.value)
    return _base(x, value, (off + factored(x.value))[..., None] + 0 * value)


def factored(a: Array) -> Array:
    """What orthogonal transformations may be off, in the norm, in units of the unit roundoff.

    Reflections from either side, each time n of them with n entries, and with two roundings for an
    entry: 2 n gamma(2n) times the norm (Higham, theorem 19.4).
    """
    size: Array = 4 * a.shape[-1] ** 2 * np.sqrt((a * a).sum((-2, -1)))
    return size


def composed_again(x: Any) -> Any:
    """Return a matrix as it is put together again from orthogonal factors."""
    if not isinstance(x, Jet):
        return x
    made = x.copy()
    made.numbers[1, 0, 0] += factored(x.value)[..., None, None]
    return made


UFUNCS[np.matmul] = matmul
PRODUCTS: dict[Any, Callable[..., Any]] = {
    np.einsum: einsum,
    np.tensordot: tensordot,
    np.dot: matmul,
    np.inner: _inner,
    np.outer: _outer,
    np.kron: _kronecker,
    np.cross: _cross,
    np.linalg.inv: inverse,
    np.linalg.solve: _solved,
    np.linalg.det: _determinant,
    np.linalg.matrix_power: _raised,
    np.linalg.eigvalsh: _eigenvalues,
}
FUNCTIONS.update(PRODUCTS)
