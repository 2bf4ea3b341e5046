"""Products of matrices, and what is computed from one matrix."""

from typing import Any

import numpy as np

from ..truth.oracles.products import composed_again
from .arguments import Arguments, products
from .drawing import ALIKE, SMALL, SOLVED, UNIT, Array, Draw, Shape
from .operation import Operation

SQUARES: tuple[Shape, ...] = ((3, 3), (2, 2), (1, 1), (2, 2, 2))
"""Shapes of square matrices, and of a batch of them."""


def dominant(d: Draw) -> Array:
    """Draw square matrices whose diagonal outweighs the rest: they are far from singular."""
    shape = d.shape(*SQUARES, many=SOLVED)
    x = d.array(shape, UNIT) + max(3, shape[-1]) * np.eye(shape[-1])
    return np.asfortranarray(x) if d.byte() & 1 else x


def square(d: Draw) -> Arguments:
    """Draw such matrices."""
    return Arguments((dominant(d),))


def either_sign(d: Draw) -> Arguments:
    """Draw such matrices, or with another sign in one row: their determinants are negative."""
    x = dominant(d)
    return Arguments((x * np.where(np.arange(x.shape[-1]) > 0, 1, d.pick(1, -1))[:, None],))


def powered(d: Draw) -> Arguments:
    """Draw such matrices, and an exponent."""
    return Arguments((dominant(d),), (d.pick(2, 3, 1, 0, -1),))


def system(d: Draw) -> Arguments:
    """Draw a system of equations, with several right-hand sides, and a batch on either side."""
    a, sides = dominant(d), d.pick(2, 1, 3)
    batch, rows = a.shape[:-2], a.shape[-1]
    lead = d.pick(batch, (1, *batch[1:]), (2, *batch), () if sides != rows else batch)
    return Arguments((a, d.array((*lead, rows, sides))))


def definite(be: Any, x: Any) -> Any:
    """Compute x xᵀ, which is symmetric and far from singular where x is."""
    return be.matmul(x, be.transpose(x, -2, -1))


def restored(be: Any, x: Any) -> Any:
    """Put a matrix together again from its singular values and the orthonormal factors."""
    left, values, right = be.svd(x)
    return be.matmul(left * be.unsqueeze(values, -2), right)


def gram(x: Array) -> Array:
    """Compute x xᵀ."""
    return x @ x.swapaxes(-2, -1)


def cholesky(a: Array) -> Array:
    """The lower triangular factor, without conjugation (Golub & Van Loan, section 4.2)."""
    factor = np.zeros_like(a)
    for j in range(a.shape[-1]):
        rest = a[..., j:, j] - (factor[..., j:, :j] * factor[..., j, None, :j]).sum(-1)
        factor[..., j:, j] = rest / np.sqrt(rest[..., :1])
    return factor


def scaled(shapes: tuple[Shape, Shape, Shape], *, batches: bool = False) -> Any:
    """Draw a summand, two factors, and what each side is multiplied by."""

    def draw(d: Draw) -> Arguments:
        pool: list[tuple[Shape, ...]] = [
            shapes,
            ((2, 2), (2, 1), (1, 2)),
            ((2, 3), (2, 0), (0, 3)),
            ((0, 2), (0, 3), (3, 2)),
        ]
        if batches:
            pool = [tuple((2, *shape) for shape in group) for group in pool]
        tensors = tuple(d.array(shape, SMALL) for shape in d.shapes(*pool))
        return Arguments(tensors, (), {"beta": d.pick(1.0, 0.5), "alpha": d.pick(1.0, -2.0)})

    return draw


def add_product(c: Array, a: Array, b: Array, beta: float, alpha: float) -> Array:
    """Add alpha a b to beta c."""
    return beta * c + alpha * (a @ b)


EQUATIONS: tuple[tuple[str, tuple[Shape, ...]], ...] = (
    ("ij,jk->ki", ((2, 3), (3, 2))),
    ("ij,ij->", ((2, 3), (2, 3))),
    ("bij,bkj->bik", ((2, 1, 3), (2, 2, 3))),
    ("i,j->ji", ((2,), (3,))),
    ("ii->i", ((3, 3),)),
    ("ij->j", ((2, 3),)),
    ("ij,j->i", ((0, 3), (3,))),
    ("iij,j->i", ((2, 2, 3), (3,))),
    ("ij,k->k", ((2, 3), (2,))),
    ("i,ij,jk,kl,l->j", ((2,), (2, 3), (3, 2), (2, 1), (1,))),
)


def summed(d: Draw) -> Arguments:
    """Draw a sum of products in Einstein's notation."""
    equals = [each for each in EQUATIONS if ALIKE.prefers(each[1])]
    equation, shapes = d.pick(*(equals if d.of_equals else EQUATIONS))
    return Arguments(tuple(d.array(s, SMALL) for s in shapes), (), {"equation": equation})


CONTRACTED: dict[tuple[Shape, ...], int] = {
    ((2, 3), (3, 2)): 1, ((2, 3, 2), (3, 2)): 2, ((2,), (3,)): 0, ((2, 2), (2, 2)): 1,
    ((2, 1), (1, 3)): 0, ((), (2, 3)): 0,
}  # fmt: skip


def contracted(d: Draw) -> Arguments:
    """Draw two tensors, and how many axes are summed over."""
    x, y = d.shapes(*CONTRACTED, many=0)
    return Arguments((d.array(x, SMALL), d.array(y, SMALL)), (CONTRACTED[x, y],))


def determinant_logarithm(x: Array) -> Array:
    """The logarithm of |det x|."""
    det = np.linalg.det(x)
    result: Array = np.log(np.where(np.real(det) < 0, -det, det))
    return result


def mixed_determinant(x: Array) -> Array:
    """The determinant by way of a reflection that mixes all columns, as singular values do."""
    n = x.shape[-1]
    result: Array = -np.linalg.det(x @ (np.eye(n) - 2.0 / n))
    return result


MATMUL = (
    ((2, 3), (3, 2)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2, 3), (3, 2)),
    ((2, 1, 2, 3), (3, 3, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((1, 3), (3, 1)),
    ((3,), (2, 3, 2)), ((2, 2), (2, 2)), ((1, 2, 3), (3, 2)), ((1, 2, 2), (2, 1, 2, 2)),
)  # fmt: skip
TWO_MATRICES = (
    ((2, 3), (3, 2)), ((1, 3), (3, 1)), ((2, 0), (0, 3)), ((0, 2), (2, 2)), ((2, 2), (2, 2))
)  # fmt: skip
BATCHES = (
    ((2, 2, 3), (2, 3, 1)), ((1, 2, 2), (1, 2, 2)), ((0, 2, 3), (0, 3, 2)), ((2, 2, 2), (2, 2, 2))
)  # fmt: skip
VECTORS = (((3,), (3,)), ((1,), (1,)), ((0,), (0,)))

LINALG = (
    Operation("matmul", np.matmul, products(*MATMUL, values=SMALL)),
    Operation("mm", np.matmul, products(*TWO_MATRICES, values=SMALL)),
    Operation("bmm", np.matmul, products(*BATCHES, values=SMALL)),
    Operation("mv", np.matmul, products(
        ((2, 3), (3,)), ((1, 2), (2,)), ((0, 3), (3,)), ((2, 2), (2,)))),
    Operation("dot", np.matmul, products(*VECTORS)),
    Operation("inner", np.inner, products(*VECTORS, ((2, 3), (3,)), ((2, 3), (1, 3)), ((), ()))),
    Operation("outer", np.outer, products(
        ((2,), (3,)), ((1,), (4,)), ((0,), (2,)), ((3,), (3,)), many=40)),
    Operation("addmm", add_product, scaled(((2, 2), (2, 3), (3, 2)))),
    Operation("baddbmm", add_product, scaled(((2, 2), (2, 3), (3, 2)), batches=True)),
    Operation("einsum", lambda *x, equation: np.einsum(equation, *x), summed, view="maybe",
              call=lambda be, *x, equation: be.einsum(equation, *x)),
    Operation("tensordot", np.tensordot, contracted),
    Operation("kron", np.kron, products(
        ((2, 3), (1, 2)), ((2,), (3,)), ((1, 2), (2, 1)), ((2, 2), (2, 2)))),
    Operation("cross", np.cross, products(((3,), (3,)), ((2, 3), (2, 3)), many=0),
              call=lambda be, x, y: be.cross(x, y, -1)),
    Operation("det", np.linalg.det, either_sign, formulas=(mixed_determinant,)),
    Operation("logdet", determinant_logarithm, square),
    Operation("inverse", np.linalg.inv, square),
    Operation("solve", np.linalg.solve, system),
    Operation("matrix_power", np.linalg.matrix_power, powered),
    Operation("cholesky", lambda x: cholesky(gram(x)), square,
              call=lambda be, x: be.cholesky(definite(be, x))),
    Operation("svd", composed_again, square, call=restored, differentiable=False),
    Operation("eigvalsh", lambda x: np.linalg.eigvalsh(gram(x)), square, differentiable=False,
              call=lambda be, x: be.eigvalsh(definite(be, x))),
)  # fmt: skip
