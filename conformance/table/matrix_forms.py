"""Products and factors of matrices, by their rarer options."""

import math
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from ..truth.oracles.eigen import eigensystem
from ..truth.oracles.products import composed_again
from .arguments import Arguments, products
from .arithmetic import EXTREME
from .decompositions import (
    by_eigenvalues,
    diagonal_of,
    graded,
    identity,
    in_norm,
    orthonormal,
    singular_values,
    solved,
    symmetric,
    tall,
    turned,
    with_sides,
)
from .distances import matrix_norm
from .drawing import SMALL, SOLVED, UNIT, Array, Draw, Shape
from .linalg import SQUARES, definite, dominant, gram, square
from .operation import Operation
from .parts import RANKED, floats

# ---- products ------------------------------------------------------------------------------------


def with_nothing(name: str, product: Any, *shapes: Shape) -> Operation:
    """Make the record of a sum whose first summand counts nothing, whatever it is."""
    word = f"{name}_nothing"

    def draw(d: Draw) -> Arguments:
        summand, *factors = shapes
        tensors = d.array(summand, EXTREME, fixed=True), *(d.array(s, SMALL) for s in factors)
        return Arguments(tensors, (), {"alpha": d.pick(1.0, -2.0)})

    def forward(c: Array, a: Array, b: Array, alpha: float) -> Array:
        del c
        result: Array = alpha * product(a, b)
        return result

    return Operation(word, forward, draw, call=lambda be, *tensors, alpha: getattr(be, word)(
        *tensors, beta=0, alpha=alpha))  # fmt: skip


def along(d: Draw) -> Arguments:
    """Draw two tensors that broadcast, of three entries along an axis."""
    x, y, dim = d.pick(((3, 2), (3, 2), 0), ((2, 3), (1, 3), 1), ((3, 3), (3, 3), 0),
                       ((3, 3), (3, 3), -1), ((2, 3, 2), (2, 3, 1), -2))  # fmt: skip
    return Arguments((d.array(x, SMALL), d.array(y, SMALL)), (), {"dim": dim})


def crossed(x: Array, y: Array, dim: int) -> Array:
    """The vectors that are orthogonal to two."""
    (a, b, c), (p, q, r) = np.moveaxis(x, dim, 0), np.moveaxis(y, dim, 0)
    return np.moveaxis(np.stack([b * r - c * q, c * p - a * r, a * q - b * p]), 0, dim)


def shifted(d: Draw) -> Arguments:
    """Draw two inputs, the forms that join them, and a bias."""
    shapes = d.shapes(((2, 3), (2, 2), (2, 3, 2), (2,)), ((1, 1), (1, 2), (1, 1, 2), (1,)))
    return Arguments(tuple(d.array(shape, SMALL) for shape in shapes))


# ---- factors -------------------------------------------------------------------------------------


def on_sides(d: Draw) -> Arguments:
    """Draw a system, on which side its matrix stands, and whether it is transposed."""
    a, left = dominant(d), d.pick(True, False)
    n, k = a.shape[-1], d.pick(2, 1)
    b = d.array((*a.shape[:-2], *((n, k) if left else (k, n))), SMALL)
    return Arguments((a, b), (), {"left": left, "adjoint": d.pick(True, False)})


def solved_on(a: Array, b: Array, left: bool, adjoint: bool) -> Array:  # noqa: FBT001
    """Solve a @ x = b or x @ a = b, with the transpose of a if that is asked for."""
    a = turned(a) if adjoint else a
    return solved(a, b) if left else turned(solved(turned(a), turned(b)))


def cut_inverse(x: Array, rtol: float) -> Array:
    """The pseudoinverse by those singular values that are not small beside the largest."""
    values, vectors = eigensystem(turned(x) @ x)
    kept = floats(values) > rtol**2 * floats(values)[..., -1:]
    weight = np.where(kept, 1 / values, 0)
    result: Array = (vectors * weight[..., None, :]) @ turned(vectors) @ turned(x)
    return result


def wide(d: Draw) -> Arguments:
    """Draw matrices with more columns than rows, the first of which are independent."""
    shape = d.shape((2, 3), (1, 3), (2, 2, 3), many=SOLVED)
    return Arguments((d.array(shape, UNIT) + max(3, shape[-2]) * np.eye(shape[-2], shape[-1]),))


def orthonormal_rows(a: Array) -> list[Array]:
    """Orthonormal columns, and a factor that has more of them."""
    q, _ = orthonormal(a[..., : a.shape[-2]])
    return [q, turned(q) @ a]


def call_wide(be: Any, x: Any) -> Any:
    """Call it, and make the diagonal of the triangular factor positive."""
    q, r = be.qr_wide(x)
    sign = be.sign(diagonal_of(be, be.narrow(r, -1, 0, be.shape(r)[-2])))
    return [q * be.unsqueeze(sign, -2), r * be.unsqueeze(sign, -1)]


def call_factor(be: Any, x: Any) -> Any:
    """Call it, and make the diagonal of the triangular factor positive."""
    _, r = be.qr_factor(x)
    return be.mul(r, be.unsqueeze(be.sign(diagonal_of(be, r)), -1))


def call_complete(be: Any, x: Any) -> Any:
    """Call it, and multiply: both factors, and the square one by its transpose."""
    q, r = be.qr_complete(x)
    return [be.matmul(q, r), be.matmul(q, be.transpose(q, -2, -1))]


def squared_up(x: Array) -> list[Array]:
    """The matrix, and ones on a diagonal as long as its columns, as factors give them."""
    return [composed_again(x), composed_again(np.eye(x.shape[-2]) + 0 * (x @ turned(x)))]


def well_apart(d: Draw) -> Arguments:
    """Draw matrices which, added to their transposes, have eigenvalues far apart and from 0."""
    shape = d.shape(*SQUARES, many=SOLVED)
    return Arguments((d.array(shape, UNIT / 4) + np.diag(2.0 + 3.0 * np.arange(shape[-1])),))


def thin(x: Array) -> list[Array]:
    """Singular vectors that point to where axes do, and values, the largest first."""
    values, vectors = eigensystem(turned(x) @ x)
    values, vectors = np.sqrt(np.flip(values, -1)), np.flip(vectors, -1)
    return [x @ vectors / values[..., None, :], values, turned(vectors)]


def call_thin(be: Any, x: Any) -> Any:
    """Call it, and let the vectors point to where axes do."""
    left, values, right = be.svd_thin(x)
    size = be.shape(values)[-1]
    upside = be.tensor(np.eye(size)[::-1].copy())
    sign = be.sign(be.sum(be.mul(right, upside), -1))
    return [left * be.unsqueeze(sign, -2), values, right * be.unsqueeze(sign, -1)]


def upper_half(be: Any, x: Any) -> Any:
    """What is above the diagonal of a symmetric matrix, and zeros below it."""
    return be.triu(x + be.transpose(x, -2, -1))


# ---- norms ---------------------------------------------------------------------------------------


def in_planes(d: Draw) -> Arguments:
    """Draw a tensor, a norm, the two axes of its matrices, and whether they are kept."""
    dims = d.pick((0, 1), (1, 0), (-1, 0), (0, 2))
    order = d.pick("fro", 1, math.inf, -1, -math.inf)
    x = d.array((2, 2, 2), RANKED, fixed=True)
    return Arguments((x,), (order, dims, d.pick(True, False)))


def norm_along(x: Array, order: Any, dim: tuple[int, int], keepdim: bool) -> Array:  # noqa: FBT001
    """A norm of matrices that lie along two axes."""
    made = matrix_norm(np.moveaxis(x, dim, (-2, -1)), order)
    return np.expand_dims(made, tuple(a % x.ndim for a in dim)) if keepdim else made


def condition(x: Array, order: Any) -> Array:
    """The norm of a matrix times that of its inverse."""
    return size_of(x, order) * size_of(np.linalg.inv(x), order)


def size_of(x: Array, order: Any) -> Array:
    """A norm of matrices, of singular values too."""
    if order == "nuc":
        result: Array = singular_values(x).sum(-1)
        return result
    if order in (2, -2):
        return singular_values(x)[..., 0 if order == 2 else -1]
    return matrix_norm(x, order)


OFF = table_of(0.25, -0.25, 0.5, -0.5, 0.125, -0.375)
"""Small values, none of them zero."""


def conditioned(*orders: Any) -> Any:
    """Draw matrices whose rows and columns have sums far from each other, and a norm."""

    def draw(d: Draw) -> Arguments:
        x = d.array(d.shape((2, 2), (3, 3), many=0), OFF, fixed=True)
        return Arguments((x + np.diag([2.0, 6.0, 18.0][: x.shape[-1]]),), (d.pick(*orders),))

    return draw


def with_driver(d: Draw) -> Arguments:
    """Draw a system with more equations than unknowns, and how it is solved.

    Not by gelsy, which `lstsq` stands for: its last bits depend on where the operands lie.
    """
    a = tall(d)
    return Arguments((a, d.array((*a.shape[:-1], 2), SMALL)),
                     (d.pick("gels", "gelsd", "gelss"),))  # fmt: skip


def mapped(d: Draw) -> Arguments:
    """Draw a tensor that maps one axis to several, or several to one."""
    shape, count = d.pick(((2, 1, 2), 2), ((2, 2, 1), 1), ((1, 2, 2), 2))
    return Arguments(((d.array((2, 2), UNIT) + 3 * np.eye(2)).reshape(shape),), (count,))


def inverse_map(x: Array, ind: int) -> Array:
    """The inverse of a map of tensors."""
    rows = math.prod(x.shape[:ind])
    made = np.linalg.inv(x.reshape((rows, -1)))
    return made.reshape((*x.shape[ind:], *x.shape[:ind]))


MATRIX_FORMS = (
    with_nothing("addmm", np.matmul, (2, 2), (2, 3), (3, 2)),
    with_nothing("baddbmm", np.matmul, (2, 2, 2), (2, 2, 3), (2, 3, 2)),
    with_nothing("addbmm", lambda a, b: (a @ b).sum(0), (2, 2), (2, 2, 3), (2, 3, 2)),
    with_nothing("addmv", np.matmul, (2,), (2, 3), (3,)),
    with_nothing("addr", np.outer, (2, 3), (2,), (3,)),
    Operation("cross_along", crossed, along),
    Operation("linear_plain", lambda x, w: x @ w.T,
              products(((2, 3), (4, 3)), ((3,), (2, 3)), ((3,), (3,)), values=SMALL)),
    Operation("bilinear_bias", lambda x, y, w, b: np.einsum("bi,oij,bj->bo", x, w, y) + b, shifted),
    Operation("cholesky_solve_upper", lambda a, b: solved(gram(turned(np.triu(a))), b), with_sides,
              call=lambda be, a, b: be.cholesky_solve_upper(b, be.triu(a), upper=True)),
    Operation("cholesky_inverse_upper", lambda a: solved(
        gram(turned(np.triu(a))), identity(a)), square,
        call=lambda be, a: be.cholesky_inverse_upper(be.triu(a), upper=True)),
    Operation("lu_solve_sides", solved_on, on_sides, call=lambda be, a, b, **named:
              be.lu_solve_sides(*be.lu_factor(a), b, **named)),
    Operation("pinv_hermitian", lambda x: np.linalg.inv(x + turned(x)), well_apart,
              formulas=(lambda x: by_eigenvalues(x + turned(x)),),
              call=lambda be, x: be.pinv_hermitian(x + be.transpose(x, -2, -1), hermitian=True)),
    Operation("pinv_cut", cut_inverse, lambda d: Arguments(
        graded(d).tensors, (), {"rtol": d.pick(0.6, 0.0)}), differentiable=False),
    Operation("qr_wide", orthonormal_rows, wide, call=call_wide),
    Operation("qr_factor", lambda a: orthonormal(a)[1], lambda d: Arguments((tall(d),)),
              call=call_factor, differentiable=False),
    Operation("qr_complete", squared_up, lambda d: Arguments((tall(d),)), call=call_complete,
              differentiable=False),
    Operation("svd_thin", thin, graded, call=call_thin),
    Operation("eigh_upper", lambda x: eigensystem(x + turned(x)), symmetric, differentiable=False,
              call=lambda be, x: pointed(be, *be.eigh_upper(upper_half(be, x), UPLO="U"))),
    Operation("eigvalsh_upper", lambda x: np.linalg.eigvalsh(gram(x)), square,
              differentiable=False, call=lambda be, x: be.eigvalsh_upper(
                  be.triu(definite(be, x)), UPLO="U")),
    Operation("matrix_norm_along", norm_along, in_planes, kinks="0 and ties", ties=True),
    Operation("cond_order", condition, conditioned(1, math.inf, "fro", -1), kinks="equal sums",
              ties=True),
    Operation("cond_singular", condition, conditioned("nuc", 2, -2)),
    Operation("lstsq_driver", lambda a, b, driver: solved(turned(a) @ a, turned(a) @ b),  # noqa: ARG005
              with_driver, call=lambda be, a, b, driver: be.lstsq_driver(a, b, driver=driver)[0],
              formulas=(lambda a, b, driver: in_norm(solved(turned(a) @ a, turned(a) @ b)),)),  # noqa: ARG005
    Operation("tensorinv_several", inverse_map, mapped,
              call=lambda be, x, ind: be.tensorinv_several(x, ind=ind)),
    Operation("solve_vector", np.linalg.solve, lambda d: Arguments(
        (a := d.array((3, 3), UNIT) + 3 * np.eye(3), d.array(a.shape[:1], SMALL)))),
)  # fmt: skip
"""Forms of what linear algebra computes."""


def pointed(be: Any, values: Any, vectors: Any) -> list[Any]:
    """Let eigenvectors point to where axes do."""
    sign = be.sign(diagonal_of(be, vectors))
    return [values, vectors * be.unsqueeze(sign, -2)]
