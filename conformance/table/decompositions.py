"""Factors of matrices, and what is computed by them; more products.

Formulas are those of Golub & Van Loan, Matrix Computations, 4th ed.: elimination without exchange
of rows (section 3.2), which matrices need whose diagonal outweighs the rest, Gram & Schmidt
(section 5.2.7), and powers of e by scaling and squaring (section 9.3).
"""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from ..truth.oracles.eigen import definite_root, eigensystem
from .arguments import Arguments, products
from .drawing import SMALL, SOLVED, UNIT, Array, Draw, Shape
from .linalg import SQUARES, cholesky, definite, dominant, either_sign, gram, square
from .operation import Operation
from .parts import floats, magnitude, pick

SCALES = table_of(2.0, -0.5, -1.0, 3.0, -0.25, 2.5)
"""Scales t of reflections for which t times the square of any length of 1 or more is not near 1."""

TALL: tuple[Shape, ...] = ((3, 2), (2, 2), (3, 1), (2, 3, 2))


def factors(a: Array) -> tuple[Array, Array]:
    """A lower triangular matrix of diagonal 1 and an upper one, whose product is `a`."""
    n = a.shape[-1]
    lower, upper = np.zeros_like(a), np.copy(a)
    lower[..., np.arange(n), np.arange(n)] = 1.0
    for k in range(n - 1):
        column = upper[..., k + 1 :, k] / upper[..., k, k][..., None]
        lower[..., k + 1 :, k] = column
        rest = upper[..., k + 1 :, :] - column[..., None] * upper[..., k, :][..., None, :]
        upper[..., k + 1 :, :] = rest
    return lower, np.triu(upper)


def substituted(a: Array, b: Array, *, upper: bool, unit: bool = False) -> Array:
    """The solution of a triangular system, row by row."""
    n = a.shape[-1]
    made = 0 * a[..., :1] + b
    for k in range(n - 1, -1, -1) if upper else range(n):
        known = slice(k + 1, n) if upper else slice(0, k)
        left = (a[..., k, known][..., None] * made[..., known, :]).sum(-2)
        row = b[..., k, :] - left
        made[..., k, :] = row if unit else row / a[..., k, k][..., None]
    return made


def by_solving(a: Array) -> list[Array]:
    """Both factors once more, each by the other: so do libraries compute their derivatives."""
    lower, upper = factors(a)
    left = turned(substituted(turned(upper), turned(a), upper=False))
    return [identity(floats(a)), left, substituted(lower, a, upper=False, unit=True)]


def by_undoing(a: Array) -> list[Array]:
    """Both factors, divided by themselves and multiplied again, as cotangents of them are."""
    lower, upper = factors(a)
    left = lower @ substituted(lower, lower, upper=False, unit=True)
    return [identity(floats(a)), left, upper @ substituted(upper, upper, upper=True)]


def solved(a: Array, b: Array) -> Array:
    """The solution of a system whose diagonal outweighs the rest."""
    lower, upper = factors(a)
    return substituted(upper, substituted(lower, b, upper=False, unit=True), upper=True)


def by_eigenvalues(x: Array) -> Array:
    """The inverse of a symmetric matrix, by its eigenvalues."""
    values, vectors = eigensystem(x)
    result: Array = (vectors / values[..., None, :]) @ turned(vectors)
    return result


def in_norm(x: Array) -> Array:
    """The same matrices, no more exact than their norm allows: orthogonal factors give them so.

    The norm is a constant, for it has no derivative where it is zero.
    """
    size = np.sqrt((floats(x) ** 2).sum((-1, -2), keepdims=True))
    result: Array = x + size - size
    return result


def turned(x: Array) -> Array:
    """The transpose of each matrix."""
    return x.swapaxes(-2, -1)


def identity(a: Array) -> Array:
    """Ones on the diagonals of matrices as large as these."""
    n = a.shape[-1]
    return np.broadcast_to(np.eye(n), (*a.shape[:-2], n, n))


def tall(d: Draw) -> Array:
    """Draw matrices of independent columns."""
    shape = d.shape(*TALL, many=0)
    result: Array = d.array(shape, UNIT) + max(3, shape[-1]) * np.eye(shape[-2], shape[-1])
    return result


def triangular(d: Draw) -> Arguments:
    """Draw a triangular system, and which triangle counts, on which side."""
    a = dominant(d)
    upper, left, unit = d.pick(True, False), d.pick(True, False), d.pick(False, True)
    n, k = a.shape[-1], d.pick(2, 1)
    b = d.array((*a.shape[:-2], *((n, k) if left else (k, n))), SMALL)
    return Arguments((a, b), (), {"upper": upper, "left": left, "unitriangular": unit})


def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:  # noqa: FBT001
    """Solve a @ x = b, or x @ a = b, by one triangle of a."""
    if left:
        return substituted(a, b, upper=upper, unit=unitriangular)
    return turned(substituted(turned(a), turned(b), upper=not upper, unit=unitriangular))


def with_sides(d: Draw) -> Arguments:
    """Draw systems, with right-hand sides of their own or the same ones for all."""
    a = dominant(d)
    own = a.shape[:-2]
    lead, count = d.pick((own, 2), (own, 1), ((), 2), ((), 1))
    return Arguments((a, d.array((*lead, a.shape[-1], count), SMALL)))


def reflected(a: Array, scales: Array) -> Array:
    """The first columns of a product of reflections I - t v v^T, v being 1 above columns of `a`.

    Source: LAPACK, orgqr.
    """
    made = 0 * a[..., :1, :1] + np.eye(a.shape[-2])
    for v, scale in reflections(a, scales):
        made = made - scale * (made @ v) @ turned(v)
    return made[..., :, : a.shape[-1]]


def reflected_again(a: Array, scales: Array) -> Array:
    """The same, each reflection being undone and done again, as cotangents go through them."""
    made = 0 * a[..., :1, :1] + np.eye(a.shape[-2])
    for v, scale in reflections(a, scales):
        back = scale / (scale * (turned(v) @ v) - 1)
        for each in (scale, back, scale):
            made = made - each * (made @ v) @ turned(v)
    return made[..., :, : a.shape[-1]]


def reflections(a: Array, scales: Array) -> Iterator[tuple[Array, Array]]:
    """The vector and the scale of each reflection in turn."""
    rows, columns = a.shape[-2:]
    for k in range(columns):
        below = np.arange(rows)[:, None] > k
        v = pick(below, a[..., :, k : k + 1], np.eye(rows)[:, k : k + 1])
        yield v, scales[..., k, None, None]


def to_reflect(d: Draw) -> Arguments:
    """Draw what reflections are stored as, scaled so that each has an inverse that is not large."""
    shape = d.shape(*TALL, many=0)
    return Arguments((d.array(shape, SMALL), d.array((*shape[:-2], shape[-1]), SCALES)))


def with_rows(d: Draw) -> Arguments:
    """Draw matrices, and rows as long as theirs."""
    a = dominant(d)
    return Arguments((a, d.array((*a.shape[:-2], d.pick(2, 1), a.shape[-1]), SMALL)))


def orthonormal(a: Array) -> list[Array]:
    """Orthonormal columns and an upper triangular matrix of positive diagonal."""
    n = a.shape[-1]
    q, r = np.zeros_like(a), np.zeros_like(a, shape=(*a.shape[:-2], n, n))
    for k in range(n):
        column = a[..., k]
        for _ in range(2):  # once more, so that it is as orthogonal as reflections make it
            parts = (q[..., :k] * column[..., None]).sum(-2)
            r[..., :k, k] = r[..., :k, k] + parts
            column = column - (q[..., :k] * parts[..., None, :]).sum(-1)
        r[..., k, k] = np.sqrt((column * column).sum(-1))
        q[..., k] = column / r[..., k, k][..., None]
    return [q, r]


def by_projecting(a: Array) -> list[Array]:
    """The same, with sums of products below the diagonal, which come to about zero."""
    q, _ = orthonormal(a)
    return [q, turned(q) @ a]


def diagonal_of(be: Any, x: Any) -> Any:
    """The diagonals of square matrices, by what every library has."""
    return be.sum(be.mul(x, be.tensor(np.eye(be.shape(x)[-1]))), -1)


def call_qr(be: Any, x: Any) -> Any:
    """Call it, and make the diagonal of the triangular factor positive."""
    q, r = be.qr(x)
    sign = be.sign(diagonal_of(be, r))
    return [q * be.unsqueeze(sign, -2), r * be.unsqueeze(sign, -1)]


def symmetric(d: Draw) -> Arguments:
    """Draw matrices which, added to their transposes, have eigenvalues far from each other."""
    shape = d.shape(*SQUARES, many=SOLVED)
    return Arguments((d.array(shape, UNIT) + np.diag(3.0 * np.arange(shape[-1])),))


def call_eigh(be: Any, x: Any) -> Any:
    """Call it on a symmetric matrix, and let the vectors point to where axes do."""
    values, vectors = be.eigh(x + be.transpose(x, -2, -1))
    sign = be.sign(diagonal_of(be, vectors))
    return [values, vectors * be.unsqueeze(sign, -2)]


def singular_values(x: Array) -> Array:
    """The roots of the eigenvalues of xᵀ x, the largest first."""
    wide = x.shape[-2] < x.shape[-1]
    values = eigensystem(x @ turned(x) if wide else turned(x) @ x)[0]
    return np.flip(np.sqrt(values), -1)


def graded(d: Draw) -> Arguments:
    """Draw matrices whose singular values are far from each other, and from 0."""
    shape = d.shape((2, 2), (3, 2), (1, 1), (2, 2, 2), many=SOLVED)
    scale = 2.0 + 4 * np.arange(shape[-1])
    return Arguments((d.array(shape, UNIT) + np.eye(shape[-2], shape[-1]) * scale,))


def root_of_gram(x: Array) -> Array:
    """The definite root of xᵀ x."""
    root: Array = definite_root(turned(x) @ x)
    return root


def polar_factors(x: Array) -> list[Array]:
    """Orthonormal columns and a definite matrix, whose product is x.

    Source: Higham, Functions of Matrices, chapter 8.
    """
    root = root_of_gram(x)
    return [turned(solved(root, turned(x))), root]


def far_from_singular(d: Draw) -> Arguments:
    """Draw matrices whose singular values are far from 0: far from each other, or equal."""
    (x,) = graded(d).tensors
    equal = d.pick(False, True)
    return Arguments((2.5 * np.eye(*x.shape[-2:]) + 0 * x if equal else x,))


def exponential(a: Array) -> Array:
    """The power of e of a matrix: its series for a quarter of it, squared twice."""
    part = a / 4
    term = made = identity(a) + 0 * a
    for k in range(1, 22):
        term = term @ part / k
        made = made + term
    made = made @ made
    result: Array = made @ made
    return result


def small(d: Draw) -> Arguments:
    """Draw small square matrices."""
    return Arguments((d.array(d.shape(*SQUARES, many=SOLVED), UNIT),))


def of_any_norm(d: Draw) -> Arguments:
    """Draw square matrices of several sizes of norm, by which a series is cut off."""
    shape, scale = d.shape(*SQUARES, many=SOLVED), d.pick(2**-1, 2**-5, 2**-8, 1.0)
    return Arguments((d.array(shape, UNIT * scale),))


def many(d: Draw) -> Arguments:
    """Draw matrices that can be multiplied."""
    shapes = d.shapes(((2, 3), (3, 1), (1, 2)), ((3,), (3, 2), (2,)), ((2, 2), (2, 2)))
    return Arguments(tuple(d.array(shape, SMALL) for shape in shapes))


def chained(*x: Array) -> Array:
    """Multiply one after the other."""
    made = x[0]
    for each in x[1:]:
        made = made @ each
    return made


def powers(x: Array, n: int) -> Array:
    """The powers of each entry, from 0 on."""
    columns = [0 * x + 1]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    return np.stack(columns, -1)


def multiplied_along(d: Draw) -> Arguments:
    """Draw two tensors that broadcast, and an axis along which they are equally long."""
    other, dim = d.pick(((2, 3), -1), ((1, 3), 1), ((2, 3), 0), ((2, 1), 0))
    return Arguments((d.array((2, 3), SMALL), d.array(other, SMALL)), (dim,))


def by_axes(d: Draw) -> Arguments:
    """Draw two tensors, and the axes that are summed over."""
    x, y, axes = d.pick(((2, 3), (4, 3), ([1], [1])), ((2, 2, 3), (2, 2), ([1, 0], [0, 1])),
                        ((2, 3), (3, 2), ([0, 1], [1, 0])), ((3,), (2, 3), ([0], [1])),
                        ((2, 3), (3, 2), ([-1], [-2])),
                        ((2, 2, 3), (3, 2), ([-1, 0], [0, 1])))  # fmt: skip
    return Arguments((d.array(x, SMALL), d.array(y, SMALL)), (axes,))


def summed(x: Array, y: Array, axes: Any) -> Array:
    """Sum products along pairs of axes."""
    first, second = axes
    a = np.moveaxis(x, first, range(-len(first), 0))
    b = np.moveaxis(y, second, range(len(second)))
    return np.tensordot(a, b, len(first))


def scaled(*shapes: Shape) -> Any:
    """Draw a summand, two factors, and what each side is multiplied by."""

    def draw(d: Draw) -> Arguments:
        tensors = tuple(d.array(shape, SMALL) for shape in shapes)
        return Arguments(tensors, (), {"beta": d.pick(1.0, 0.5), "alpha": d.pick(1.0, -2.0)})

    return draw


def listed(name: str) -> Any:
    """Call a function of a list of tensors."""
    return lambda be, *tensors: getattr(be, name)(tensors)


def with_others(d: Draw) -> Arguments:
    """Draw what reflections are stored as, what they are applied to, on which side, how turned."""
    shape = d.shape(*TALL, many=0)
    left, transpose = d.pick(True, False), d.pick(False, True)
    rows, more = shape[-2], d.pick(2, 1)
    other = (*shape[:-2], *((rows, more) if left else (more, rows)))
    return Arguments(
        (d.array(shape, SMALL), d.array((*shape[:-2], shape[-1]), SCALES), d.array(other, SMALL)),
        (),
        {"left": left, "transpose": transpose},
    )


def applied(a: Array, scales: Array, c: Array, left: bool, transpose: bool) -> Array:  # noqa: FBT001
    """Multiply by all reflections, the last one first, or the other way round. Source: ormqr."""
    every = [*reflections(a, scales)]
    for v, scale in every if left == transpose else every[::-1]:
        c = c - scale * (v @ (turned(v) @ c)) if left else c - scale * ((c @ v) @ turned(v))
    return c


def applied_again(a: Array, scales: Array, c: Array, left: bool, transpose: bool) -> Array:  # noqa: FBT001
    """The same by the matrix of all reflections, which is undone and done again."""
    wide = np.concatenate([a, np.zeros_like(a, shape=(*a.shape[:-1], a.shape[-2]))], -1)
    full = reflected_again(wide[..., : a.shape[-2]], none_after(scales, a.shape[-2]))
    q = turned(full) if transpose else full
    return q @ c if left else c @ q


def none_after(scales: Array, count: int) -> Array:
    """Let what has no scale reflect nothing."""
    none = np.zeros_like(scales, shape=(*scales.shape[:-1], count - scales.shape[-1]))
    return np.concatenate([scales, none], -1)


SYSTEMS = (((2, 2, 4), (2, 2)), ((4, 2, 2), (4,)), ((2, 2), (2,)), ((2, 2, 2, 2), (2, 2)))


def of_tensors(d: Draw) -> Arguments:
    """Draw a map of tensors that is far from singular, and what it is to give."""
    shape, side = d.pick(*SYSTEMS)
    n = prod(side)
    return Arguments((d.array((n, n), UNIT).reshape(shape) + (n * np.eye(n)).reshape(shape),
                      d.array(side, SMALL)))  # fmt: skip


def tensorsolve(a: Array, b: Array) -> Array:
    """Solve the system that a map of tensors stands for."""
    n = prod(b.shape)
    return solved(a.reshape(n, n), b.reshape(n, 1)).reshape(a.shape[b.ndim :])


DECOMPOSITIONS = (
    Operation("solve_triangular", solve_triangular, triangular,
              call=lambda be, a, b, upper, **rest: be.solve_triangular(a, b, upper=upper, **rest)),
    Operation("solve_left", lambda a, b: turned(solved(turned(a), turned(b))), with_rows,
              call=lambda be, a, b: be.solve_left(a, b)),
    Operation("lu", lambda a: [identity(floats(a)), *factors(a)], square,
              formulas=(by_solving, by_undoing)),
    Operation("lu_solve", solved, with_sides,
              call=lambda be, a, b: be.lu_solve(b, *be.lu_factor(a))),
    Operation("cholesky_upper", lambda x: turned(cholesky(gram(x))), square,
              call=lambda be, x: be.cholesky_upper(definite(be, x))),
    Operation("cholesky_solve", lambda a, b: solved(gram(np.tril(a)), b), with_sides,
              call=lambda be, a, b: be.cholesky_solve(b, be.tril(a))),
    Operation("householder_product", reflected, to_reflect,
              formulas=(reflected_again,)),
    Operation("ormqr", applied, with_others, formulas=(applied_again,)),
    Operation("cholesky_inverse", lambda a: solved(gram(np.tril(a)), identity(a)), square,
              call=lambda be, a: be.cholesky_inverse(be.tril(a))),
    Operation("slogdet", lambda a: [np.sign(np.linalg.det(floats(a))), np.log(
        magnitude(np.linalg.det(a)))], either_sign),
    Operation("pinv", lambda a: solved(turned(a) @ a, turned(a)),
              lambda d: Arguments((tall(d),)),
              formulas=(lambda a: in_norm(solved(turned(a) @ a, turned(a))),)),
    Operation("lstsq", lambda a, b: solved(turned(a) @ a, turned(a) @ b),
              lambda d: Arguments((a := tall(d), d.array((*a.shape[:-1], 2), SMALL))),
              call=lambda be, a, b: be.lstsq(a, b)[0],
              formulas=(lambda a, b: in_norm(solved(turned(a) @ a, turned(a) @ b)),)),
    Operation("qr", orthonormal, lambda d: Arguments((tall(d),)), call=call_qr,
              formulas=(by_projecting,)),
    Operation("eigh", lambda x: eigensystem(x + turned(x)), symmetric, call=call_eigh),
    Operation("svdvals", singular_values, graded),
    Operation("norm_nuclear", lambda x: np.diagonal(root_of_gram(x), 0, -2, -1).sum(-1),
              far_from_singular),
    Operation("norm_spectral", lambda x: singular_values(x)[..., 0], graded),
    Operation("cond", lambda x: singular_values(x)[..., 0] / singular_values(x)[..., -1], graded),
    Operation("matrix_sqrth", root_of_gram, far_from_singular,
              call=lambda be, x: be.matrix_sqrth(be.matmul(be.transpose(x, -2, -1), x))),
    Operation("polar_factors", polar_factors, far_from_singular),
    Operation("matrix_exp", exponential, small),
    Operation("matrix_exp_scaled", exponential, of_any_norm),
    Operation("tensorinv", lambda a: solved(a, identity(a)),
              lambda d: Arguments((d.array((2, 2), UNIT) + 3 * np.eye(2),)),
              call=lambda be, a: be.tensorinv(a, ind=1)),
    Operation("tensorsolve", tensorsolve, of_tensors),
    Operation("multi_dot", chained, many, call=listed("multi_dot")),
    Operation("vander", powers, lambda d: Arguments((d.array(d.shape((3,), (2, 2)), SMALL),),
                                                    (d.pick(3, 2, 4),)),
              call=lambda be, x, n: be.vander(x, N=n)),
    Operation("vecdot", lambda x, y, dim: (x * y).sum(dim), multiplied_along,
              call=lambda be, x, y, dim: be.vecdot(x, y, dim=dim)),
    Operation("vdot", lambda x, y: (x * y).sum(), products(((3,), (3,)), ((1,), (1,)))),
    Operation("tensordot_axes", summed, by_axes),
    Operation("addmv", lambda c, a, x, beta, alpha: beta * c + alpha * (a @ x),
              scaled((2,), (2, 3), (3,))),
    Operation("addr", lambda c, x, y, beta, alpha: beta * c + alpha * np.outer(x, y),
              scaled((2, 3), (2,), (3,))),
    Operation("addbmm", lambda c, a, b, beta, alpha: beta * c + alpha * (a @ b).sum(0),
              scaled((2, 2), (2, 2, 3), (2, 3, 2))),
)  # fmt: skip
"""What linear algebra computes beyond the most used."""
