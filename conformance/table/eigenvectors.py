"""Eigenvalues and eigenvectors of matrices that need not be symmetric.

What is computed does not depend on the order in which eigenvalues come, nor on the length and the
phase of eigenvectors: values go by the sum of their parts, and the entries of vectors on the
diagonal are 1.
"""

from typing import Any

import numpy as np

from ..truth.oracles import planes
from ..truth.oracles.planes import Complex
from .arguments import Arguments
from .complexes import ComplexOperation
from .decompositions import in_norm
from .drawing import UNIT, Array, Draw, Shape
from .operation import Operation
from .parts import pick

PAIRS: tuple[Shape, ...] = ((2, 2), (2, 2, 2))

APART = (np.array([[1.0, 0.0], [0.0, 5.0]]), np.array([[0.0, -3.0], [3.0, 0.0]]))
"""What matrices are near whose eigenvalues are far apart: two real ones, or a conjugate pair."""


def apart(d: Draw) -> Arguments:
    """Draw matrices of two rows with eigenvalues far apart, all real ones or all pairs."""
    shape = d.shape(*PAIRS, many=0)
    return Arguments((d.array(shape, UNIT, fixed=True) + d.pick(*APART),))


def far_apart(d: Draw) -> Arguments:
    """Draw matrices of two rows with eigenvalues whose real parts are far apart."""
    return Arguments((d.array(d.shape(*PAIRS, many=0), UNIT) + np.diag([1.0, 7.0]),))


def side_by_side(*parts: Any) -> Any:
    """Put numbers along a new last axis."""
    made: Any = np.stack(parts, -1)
    return made


def roots(x: Array) -> tuple[Any, Any]:
    """The eigenvalues of real matrices of two rows: their real and their imaginary parts."""
    middle, half = (x[..., 0, 0] + x[..., 1, 1]) / 2, (x[..., 1, 1] - x[..., 0, 0]) / 2
    inside = half * half + x[..., 0, 1] * x[..., 1, 0]
    real = inside > 0
    radius = np.sqrt(pick(real, inside, -inside))
    along, across = pick(real, radius, 0 * radius), pick(real, 0 * radius, radius)
    return side_by_side(middle - along, middle + along), side_by_side(-across, across)


def values_of(x: Array) -> Any:
    """The eigenvalues, by their parts."""
    return side_by_side(*roots(x))


def system_of(x: Array) -> list[Any]:
    """The eigenvalues and the eigenvectors, by their parts: (a - w) v = 0."""
    re, im = roots(x)
    ones = 0 * re[..., 0] + 1
    columns = []
    for k in range(2):
        away, up = re[..., k] - x[..., 1 - k, 1 - k], im[..., k]
        size = away * away + up * up
        other = x[..., 1 - k, k] / size
        pair = [side_by_side(ones, 0 * ones), side_by_side(other * away, -other * up)]
        columns.append(np.stack(pair[:: 1 - 2 * k], -2))
    return [side_by_side(re, im), np.stack(columns, -2)]


def by_dividing(x: Array) -> list[Any]:
    """The same, where vectors are no more exact than the largest of their entries."""
    values, vectors = system_of(in_norm(x))
    size = np.sqrt((vectors * vectors).sum(-1).sum(-2))[..., None, :, None]
    return [values, vectors + size - size]


def number_roots(z: Complex) -> list[Complex]:
    """The eigenvalues of complex matrices of two rows."""
    first, last = z[..., 0, 0], z[..., 1, 1]
    middle, half = (first + last) / 2.0, (last - first) / 2.0
    radius = planes.sqrt(half * half + z[..., 0, 1] * z[..., 1, 0])
    return [middle - radius, middle + radius]


def number_system(z: Complex) -> list[Complex]:
    """The eigenvalues and the eigenvectors of complex matrices of two rows."""
    low, high = number_roots(z)
    one = low * 0.0 + 1.0
    columns = [
        planes.stacked([one, z[..., 1, 0] / (low - z[..., 1, 1])], -1),
        planes.stacked([z[..., 0, 1] / (high - z[..., 0, 0]), one], -1),
    ]
    return [planes.stacked([low, high], -1), planes.stacked(columns, -1)]


def by_multiplying(z: Complex) -> list[Complex]:
    """The same, where vectors are multiplied by a number and divided by it again."""
    values, vectors = number_system(z)
    total = vectors.each(np.sum) + 16.0
    return [values, (vectors * total) / total]


def in_order(be: Any, values: Any) -> Any:
    """The places of eigenvalues by the sums of their parts."""
    return be.argsort(be.real(values) + be.imag(values), -1)


def call_eigvals(be: Any, x: Any) -> Any:
    """Call it, and put the eigenvalues in order."""
    values = be.eigvals(x)
    return be.take_along_dim(values, in_order(be, values), -1)


def call_eig(be: Any, x: Any) -> list[Any]:
    """Call it, put all in order, and make the entries of vectors on the diagonal 1."""
    values, vectors = be.eig(x)
    order = in_order(be, values)
    vectors = be.take_along_dim(vectors, be.unsqueeze(order, -2), -1)
    return [be.take_along_dim(values, order, -1),
            vectors / be.unsqueeze(be.diagonal(vectors, 0, -2, -1), -2)]  # fmt: skip


def shown(be: Any, z: Any) -> Any:
    """The parts of complex numbers."""
    return be.stack([be.real(z), be.imag(z)], -1)


EIGENVECTORS = (
    Operation("eigvals", values_of, apart, formulas=(lambda x: values_of(in_norm(x)),),
              call=lambda be, x: shown(be, call_eigvals(be, x))),
    Operation("eig", system_of, apart, formulas=(by_dividing,),
              call=lambda be, x: [shown(be, z) for z in call_eig(be, x)]),
)  # fmt: skip
"""Of real matrices."""

COMPLEX_EIGENVECTORS = (
    ComplexOperation("eigvals", lambda z: planes.stacked(number_roots(z), -1), far_apart,
                     call=call_eigvals, analytic=True),
    ComplexOperation("eig", number_system, far_apart, call=call_eig, analytic=True,
                     formulas=(by_multiplying,)),
)  # fmt: skip
"""Of complex matrices."""
