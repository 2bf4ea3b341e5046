"""Eigenvalues, eigenvectors and roots of symmetric matrices, with their derivatives.

Of a matrix that is moved by d, with M = Vᵀ d V and F_ij = 1 / (w_j - w_i), P = F * M:

    values     w_i + M_ii + the sum of M_ij P_ji over j
    vectors    V (1 + P + Q), Q_ij = F_ij ((M P)_ij - P_ij M_jj), Q_ii = -(the sum of P_ki ** 2) / 2

which is perturbation theory to second order (Kato, Perturbation Theory for Linear Operators,
section II.2), where jets end. The root R of a definite matrix is moved by P + Q, R P + P R being d
and R Q + Q R being -P P (Higham, Functions of Matrices, section 6.1): where eigenvalues are equal,
they have no derivatives of second order, and it has.
"""

from typing import Any

import numpy as np

from .jets import Array, Jet, differentials
from .products import factored, matmul


def eigensystem(a: Any) -> list[Any]:
    """Return eigenvalues in order, and vectors of length 1 that point to where axes do."""
    if isinstance(a, Jet):
        return _of_jet(a)
    if a.dtype == object:
        raise TypeError("objects have no eigenvectors here")
    if np.iscomplexobj(a):
        w, v = _pointed(a.real)
        moved = v.swapaxes(-2, -1) @ a.imag @ v
        step = _gaps(w) * moved
        return [w + 1j * _diagonal(moved), v + 1j * (v @ step)]
    return list(_pointed(a))


def _pointed(a: Array) -> tuple[Array, Array]:
    w, v = np.linalg.eigh(a)
    return w, v * np.where(_diagonal(v) < 0, -1, 1)[..., None, :]


def _diagonal(x: Any) -> Any:
    n = np.arange(x.shape[-1])
    return x[..., n, n]


def _gaps(w: Array) -> Array:
    """One over the differences of eigenvalues: 0 on the diagonal."""
    apart = w[..., None, :] - w[..., :, None]
    own = np.eye(w.shape[-1], dtype=bool)
    gaps: Array = np.where(own, 0, 1 / np.where(own, 1, apart))
    return gaps


def _of_jet(a: Jet) -> list[Jet]:
    w, v = _pointed(a.value)
    # Values move by no more than the matrix (Weyl), vectors by that over a gap (Davis & Kahan).
    far = np.sqrt((a.error * a.error).sum((-2, -1))) + factored(a.value)
    values, vectors = Jet.exact(w, like=a), Jet.exact(v, like=a)
    values.numbers[1, 0, 0] = far[..., None] + 0 * w
    nearest = np.abs(_gaps(w)).max(-2) if w.shape[-1] else w
    vectors.numbers[1, 0, 0] = (far[..., None] * nearest)[..., None, :] + np.abs(v)
    if a.numbers.shape[1:3] == (1, 1):
        return [values, vectors]
    back = vectors.swapaxes(-2, -1)
    moved = matmul(matmul(back, differentials(a)), vectors)
    gaps = Jet.exact(_gaps(w), like=a)
    # A gap is off by as much as both of its ends.
    gaps.numbers[1, 0, 0] = 2 * far[..., None, None] * _gaps(w) ** 2 + np.abs(_gaps(w))
    step = gaps * moved
    own = _diagonal(moved)
    second = gaps * (matmul(moved, step) - step * own[..., None, :])
    length = (step * step).sum(-2) / 2
    values = values + own + (moved * step.swapaxes(-2, -1)).sum(-1)
    eye = np.eye(w.shape[-1])
    return [values, vectors + matmul(vectors, step + second - eye * length[..., None, :])]


# ---- roots ---------------------------------------------------------------------------------------


def definite_root(a: Any) -> Any:
    """The square root of positive definite matrices that is positive definite."""
    if isinstance(a, Jet):
        return _root_of_jet(a)
    if np.iscomplexobj(a):
        w, v = _pointed(a.real)
        back = v.swapaxes(-2, -1)
        return (v * np.sqrt(w)[..., None, :]) @ back + 1j * (
            v @ (back @ a.imag @ v / _sums(w)) @ back
        )
    w, v = _pointed(a)
    return (v * np.sqrt(w)[..., None, :]) @ v.swapaxes(-2, -1)


def _sums(w: Array) -> Array:
    """The roots of eigenvalues, each added to each."""
    sums: Array = np.sqrt(w)[..., :, None] + np.sqrt(w)[..., None, :]
    return sums


def _root_of_jet(a: Jet) -> Jet:
    w, v = _pointed(a.value)
    back = v.swapaxes(-2, -1)
    # It moves by no more than the matrix over twice the least root (Higham, theorem 6.2).
    far = np.sqrt((a.error * a.error).sum((-2, -1))) + factored(a.value)
    off = far / (2 * np.sqrt(w.min(-1, initial=np.inf)))
    made = Jet.exact((v * np.sqrt(w)[..., None, :]) @ back, like=a)
    made.numbers[1, 0, 0] = off[..., None, None] + np.abs(made.value)
    if a.numbers.shape[1:3] == (1, 1):
        return made
    sums = Jet.exact(_sums(w), like=a)
    sums.numbers[1, 0, 0] = 2 * off[..., None, None] + sums.value
    step = matmul(matmul(back, differentials(a)), v) / sums
    return made + matmul(matmul(v, step - matmul(step, step) / sums), back)
