"""Complex matrices: systems that are solved, factors and products beyond the most used.

What is transposed of real matrices is conjugated as well of complex ones. Source: LAPACK.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..truth.oracles import planes
from ..truth.oracles.planes import Complex
from .arguments import Arguments
from .complexes import ComplexOperation
from .decompositions import DECOMPOSITIONS
from .drawing import UNIT, Draw
from .linalg import LINALG, dominant
from .matrix_forms import MATRIX_FORMS
from .operation import Operation
from .parts import pick

REAL = {each.name: each for group in (LINALG, DECOMPOSITIONS, MATRIX_FORMS) for each in group}
"""The real operations by name."""


def of_complex(name: str, forward: Callable[..., Any], **more: Any) -> ComplexOperation:
    """Take what a real operation draws, and how it is called, with another formula."""
    real: Operation = REAL[name]
    made = ComplexOperation(name, forward, real.draw, call=real.call, view=real.view)
    return replace(made, **more)


def one_on_diagonal(n: int) -> Any:
    """The identity, which is added to complex matrices."""
    return np.eye(n)


def turned(z: Complex) -> Complex:
    """The transpose of each matrix, not conjugated."""
    return z.each(np.swapaxes, -2, -1)


def by_each_part(name: str) -> Callable[..., Any]:
    """Compute what is linear in each of several tensors, from all choices of their parts."""
    real = REAL[name]

    def forward(*numbers: Any, **named: Any) -> Complex:
        tensors = [x for x in numbers if isinstance(x, Complex)]
        rest = numbers[len(tensors) :]
        total: Any = None
        for chosen in product((False, True), repeat=len(tensors)):
            parts = [x.im if im else x.re for x, im in zip(tensors, chosen, strict=True)]
            term = Complex.of(real.forward(*parts, *rest, **named))
            for _ in range(sum(chosen)):
                term = term.turned
            total = term if total is None else total + term
        return planes.together(total.re, total.im)

    return forward


# ---- systems -------------------------------------------------------------------------------------


def on_side(a: Complex, b: Complex, *, left: bool) -> Complex:
    """Solve a @ x = b, or x @ a = b."""
    return planes.solve(a, b) if left else turned(planes.solve(turned(a), turned(b)))


def by_triangle(a: Complex, b: Complex, upper: bool, left: bool, unitriangular: bool) -> Complex:  # noqa: FBT001
    """Solve a system by one triangle of its matrix, whose diagonal may count as ones."""
    half = a.each(np.triu if upper else np.tril, int(unitriangular) * (1 if upper else -1))
    return on_side(half + one_on_diagonal(a.shape[-1]) if unitriangular else half, b, left=left)


def gram(z: Complex) -> Complex:
    """Multiply matrices by their adjoints."""
    return z @ planes.adjoint(z)


def with_adjoint(be: Any, x: Any) -> Any:
    """Multiply matrices by their adjoints."""
    return be.matmul(x, be.conj(be.transpose(x, -2, -1)))


def of_squares(d: Draw) -> Arguments:
    """Draw square matrices that are far from singular."""
    return Arguments((dominant(d),))


def of_two_by_two(d: Draw) -> Arguments:
    """Draw matrices of two rows, whose eigenvalues and singular values lie far apart."""
    shape = d.shape((2, 2), (2, 2, 2), many=0)
    return Arguments((d.array(shape, UNIT) + np.diag([1.0, 4.0]),))


# ---- reflections ---------------------------------------------------------------------------------


def reflected(a: Complex, scales: Complex) -> Complex:
    """The first columns of a product of I - t v v^H, v being 1 above columns of `a`."""
    made: Any = a[..., :1, :1] * 0.0 + one_on_diagonal(a.shape[-2])
    for v, scale in reflections(a, scales):
        made = made - (made @ v) @ planes.adjoint(v) * scale
    result: Complex = made[..., :, : a.shape[-1]]
    return result


def reflected_again(a: Complex, scales: Complex) -> Complex:
    """The same, each reflection being undone and done again, as cotangents go through them."""
    made: Any = a[..., :1, :1] * 0.0 + one_on_diagonal(a.shape[-2])
    for v, scale in reflections(a, scales):
        back = scale / (scale * v.square.sum(-2)[..., None] - 1.0)
        for each in (scale, back, scale):
            made = made - (made @ v) @ planes.adjoint(v) * each
    result: Complex = made[..., :, : a.shape[-1]]
    return result


def reflections(a: Complex, scales: Complex) -> Iterator[tuple[Complex, Complex]]:
    """The vector and the scale of each reflection in turn."""
    for k in range(a.shape[-1]):
        below, unit = np.arange(a.shape[-2])[:, None] > k, np.eye(a.shape[-2])[:, k : k + 1]
        column = a[..., :, k : k + 1]
        v = Complex(pick(below, column.re, unit), pick(below, column.im, 0 * unit))
        yield v, scales[..., k, None, None]


def root_of_gram(z: Complex) -> Complex:
    """The root of z z^H, of two rows, by its trace and determinant (Levinger, 1980)."""
    size = planes.determinant(z).size
    trace = planes.root(z.square.sum((-2, -1)) + size * 2)
    return (gram(z) + Complex.of(size[..., None, None] * np.eye(2))) / trace[..., None, None]


def polar_factors(z: Complex) -> list[Complex]:
    """A unitary matrix and a definite one, whose product is z."""
    root = root_of_gram(planes.adjoint(z))
    return [z @ planes.inverse(root), root]


COMPLEX_MATRICES = (
    of_complex("solve_triangular", by_triangle, analytic=True),
    of_complex("cholesky_solve", lambda a, b: planes.solve(gram(a.each(np.tril)), b)),
    of_complex("cholesky_solve_upper", lambda a, b: planes.solve(
        gram(planes.adjoint(a.each(np.triu))), b)),
    of_complex("cholesky_upper", lambda z: planes.adjoint(planes.cholesky(gram(z))),
               draw=of_squares, call=lambda be, x: be.cholesky_upper(with_adjoint(be, x))),
    of_complex("cholesky_inverse", lambda z: planes.inverse(gram(z)), draw=of_squares,
               call=lambda be, x: be.cholesky_inverse(be.cholesky(with_adjoint(be, x)))),
    of_complex("householder_product", reflected, formulas=(reflected_again,)),
    of_complex("matrix_sqrth", root_of_gram, draw=of_two_by_two,
               call=lambda be, x: be.matrix_sqrth(with_adjoint(be, x))),
    of_complex("polar_factors", polar_factors, draw=of_two_by_two),
    of_complex("addmv", lambda c, a, x, beta, alpha: c * beta + a @ x * alpha, analytic=True),
    of_complex("addbmm", lambda c, a, b, beta, alpha: c * beta + (a @ b).each(np.sum, 0) * alpha,
               analytic=True),
    of_complex("addr", lambda c, x, y, beta, alpha: c * beta + planes.product(
        np.outer, x, y) * alpha, analytic=True),
    *(
        of_complex(name, by_each_part(name), analytic=True)
        for name in ("einsum", "multi_dot", "tensordot_axes", "cross", "cross_along")
    ),
)  # fmt: skip
"""What linear algebra computes of complex matrices beyond the most used."""
