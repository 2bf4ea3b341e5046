"""Factors of matrices, and what they solve, by all options at once."""

from math import prod
from typing import Any

import numpy as np

from ..truth.oracles.eigen import eigensystem
from .arguments import Arguments
from .decompositions import (
    SYSTEMS,
    diagonal_of,
    orthonormal,
    singular_values,
    solved,
    substituted,
    symmetric,
    tensorsolve,
    turned,
)
from .drawing import SMALL, UNIT, Array, Draw, Shape
from .linalg import cholesky, definite, dominant, gram
from .operation import Operation
from .optional import calling, given
from .parts import Flag, floats

OBLONG: tuple[Shape, ...] = ((2, 3), (3, 2), (2, 2), (2, 2, 3), (2, 3, 2))


LEADS: tuple[tuple[Shape, Shape], ...] = (((), ()), ((2,), ()), ((), (2,)), ((2,), (2,)),
                                          ((2, 1), (2,)))  # fmt: skip
"""Axes before those of two matrices: they broadcast."""


def led(d: Draw, shape: Shape) -> Array:
    """Draw matrices whose diagonal outweighs the rest."""
    result: Array = d.array(shape, UNIT) + 3 * np.eye(shape[-2], shape[-1])
    return result


def mixed_up(d: Draw, x: Array) -> Array:
    """Exchange rows, in some draws: elimination has to look for its pivots."""
    order = np.argsort(d.indices(x.shape[-2:-1], 256), kind="stable")
    return x[..., d.pick(order, np.arange(len(order))), :]


# ---- factors -------------------------------------------------------------------------------------


def eliminated(x: Array) -> list[Array]:
    """The order of rows, and both factors, where rows are exchanged for the largest entry."""
    rows, columns = x.shape[-2:]
    count = min(rows, columns)
    upper = np.copy(x)
    lower = 0 * x[..., :, :1] + np.zeros((rows, count))
    order = np.broadcast_to(np.arange(rows), x.shape[:-1])
    lead = np.indices(x.shape[:-1])[:-1]
    for k in range(count):
        best = k + np.abs(floats(upper)[..., k:, k]).argmax(-1)[..., None]
        at = np.broadcast_to(np.arange(rows), order.shape)
        swap = np.where(at == k, best, np.where(at == best, k, at))
        order = np.take_along_axis(order, swap, -1)
        upper, lower = upper[(*lead, swap)], lower[(*lead, swap)]
        lower[..., k, k] = 1.0
        column = upper[..., k + 1 :, k] / upper[..., k, k][..., None]
        lower[..., k + 1 :, k] = column
        rest = upper[..., k + 1 :, :] - column[..., None] * upper[..., k, :][..., None, :]
        upper[..., k + 1 :, :] = rest
    return [np.swapaxes(np.eye(rows)[order], -2, -1), lower, np.triu(upper[..., :count, :])]


def packed(x: Array) -> Array:
    """Both factors in one matrix."""
    _, lower, upper = eliminated(x)
    made = np.zeros_like(x)
    made[..., :, : lower.shape[-1]] = np.tril(lower, -1)
    made[..., : upper.shape[-2], :] = made[..., : upper.shape[-2], :] + upper
    return made


def oblong(d: Draw) -> Arguments:
    """Draw matrices of any shape, with rows in any order, of full rank from either end."""
    shape = d.shape(*OBLONG, (3, 3), (1, 3), (3, 1), many=0)
    # Where functions are mapped, each stands beside itself turned around.
    more = max(0, shape[-1] - shape[-2])
    other = 3 * np.eye(shape[-2], shape[-1], more) * (more > 0)
    return Arguments((mixed_up(d, led(d, shape) + other),))


def in_any_mode(d: Draw) -> Arguments:
    """Draw matrices, and a mode in which both factors have derivatives."""
    shape = d.shape(*OBLONG, (3, 3), (1, 3), (3, 1), many=0)
    modes = (None, "reduced", *(["complete"] if shape[-2] <= shape[-1] else []))
    return Arguments((led(d, shape),), (), {"mode": d.pick(*modes)})


def with_rest(a: Array, mode: str | None) -> list[Array]:
    """Orthonormal columns, and a factor that may have more of them."""
    del mode
    q, _ = orthonormal(a[..., : a.shape[-2]])
    return [q, turned(q) @ a]


def pointed(be: Any, x: Any) -> Any:
    """The signs on the diagonals of matrices that need not be square."""
    size = min(be.shape(x)[-2:])
    return be.sign(diagonal_of(be, be.narrow(be.narrow(x, -2, 0, size), -1, 0, size)))


def call_qr(be: Any, x: Any, mode: str | None) -> Any:
    """Call it, and make the diagonal of the triangular factor positive."""
    q, r = be.qr_options(x, **given(mode=mode))
    sign = pointed(be, r)
    return [q * be.unsqueeze(sign, -2), r * be.unsqueeze(sign, -1)]


def apart(d: Draw) -> Arguments:
    """Draw matrices whose singular values are far from each other, and whether all is asked for."""
    shape = d.shape(*OBLONG, (1, 1), many=0)
    scale = 2.0 + 4 * np.arange(max(shape[-2:]))
    x = d.array(shape, UNIT) + np.eye(shape[-2], shape[-1]) * scale[: shape[-1]]
    return Arguments((x,), (), {"full_matrices": d.pick(None, False, True)})


def singular(x: Array, full_matrices: Flag = None) -> list[Array]:
    """Singular vectors that point to where axes do, and values, the largest first."""
    del full_matrices
    if x.shape[-2] < x.shape[-1]:
        left, values, right = singular(turned(x))
        # It is the other ones that point there.
        return [turned(right), values, turned(left)]
    values, vectors = eigensystem(turned(x) @ x)
    values, vectors = np.sqrt(np.flip(values, -1)), np.flip(vectors, -1)
    return [x @ vectors / values[..., None, :], values, turned(vectors)]


def call_svd(be: Any, x: Any, full_matrices: Flag) -> Any:
    """Call it, let the shorter vectors point to where axes do, and leave those beyond values."""
    left, values, right = be.svd_options(x, **given(full_matrices=full_matrices))
    (rows, columns), size = be.shape(x)[-2:], be.shape(values)[-1]
    sizes = (size, size) if full_matrices is False else (rows, columns)
    assert (be.shape(left)[-1], be.shape(right)[-2]) == sizes
    left, right = be.narrow(left, -1, 0, size), be.narrow(right, -2, 0, size)
    upside = be.tensor(np.eye(size)[::-1].copy())
    if rows < columns:
        sign = be.sign(be.sum(be.mul(be.transpose(left, -2, -1), upside), -1))
    else:
        sign = be.sign(be.sum(be.mul(right, upside), -1))
    return [left * be.unsqueeze(sign, -2), values, right * be.unsqueeze(sign, -1)]


def halved(d: Draw) -> Arguments:
    """Draw what becomes a symmetric matrix, and which of its triangles counts."""
    return Arguments(symmetric(d).tensors, (), {"UPLO": d.pick(None, "U", "L")})


def both(be: Any, x: Any, UPLO: str | None) -> Any:  # noqa: N803
    """A matrix and its transpose together, and ones in the triangle that does not count."""
    ignored = np.triu(np.ones(be.shape(x)[-2:]), 1)
    ignored = ignored.T.copy() if UPLO == "U" else ignored
    return be.add(be.add(x, be.transpose(x, -2, -1)), be.tensor(ignored))


def call_eigh(be: Any, x: Any, **named: Any) -> Any:
    """Call it on a symmetric matrix, and let the vectors point to where axes do."""
    values, vectors = be.eigh_options(both(be, x, **named), **given(**named))
    sign = be.sign(diagonal_of(be, vectors))
    return [values, vectors * be.unsqueeze(sign, -2)]


# ---- systems -------------------------------------------------------------------------------------


def by_sides(d: Draw) -> Arguments:
    """Draw a system with rows in any order, whose sides may be batches, and how it is meant."""
    (own, lead), n, k = d.pick(*LEADS), d.pick(3, 2), d.pick(1, 2)
    left = d.pick(None, False, True)
    b = d.array((*lead, *((k, n) if left is False else (n, k))), SMALL)
    return Arguments((mixed_up(d, led(d, (*own, n, n))), b), (), {
        "left": left, "adjoint": d.pick(None, True, False)})  # fmt: skip


def solved_by_sides(a: Array, b: Array, left: Flag, adjoint: Flag = None) -> Array:
    """Solve a @ x = b or x @ a = b, with the transpose of a if that is asked for."""
    a = turned(a) if adjoint else a
    return turned(np.linalg.solve(turned(a), turned(b))) if left is False else np.linalg.solve(a, b)


def of_vectors(d: Draw) -> Arguments:
    """Draw a system, of matrices or of vectors, and on which side it stands."""
    (own, lead), n = d.pick(*LEADS), d.pick(3, 2)
    if d.pick(False, True):
        return Arguments((mixed_up(d, led(d, (*own, n, n))), d.array((*own, n), SMALL)), (), {
            "left": d.pick(None, True)})  # fmt: skip
    # What has the shape of the first rows of all matrices would be vectors.
    left, k = d.pick(None, False, True), d.pick(3, 4)
    b = d.array((*lead, *((k, n) if left is False else (n, k))), SMALL)
    return Arguments((mixed_up(d, led(d, (*own, n, n))), b), (), {"left": left})


def solved_of_vectors(a: Array, b: Array, left: Flag) -> Array:
    """Solve a system, of a vector too."""
    if b.shape == a.shape[:-1]:
        return solved_by_sides(a, b[..., None], left)[..., 0]
    return solved_by_sides(a, b, left)


def moved(d: Draw) -> Arguments:
    """Draw a map of tensors, of which any axes may be those that come last."""
    shape, side = d.pick(*SYSTEMS)
    dims, n = d.pick(None, (0,), (1, 0), (-2,)), prod(side)
    a = (d.array((n, n), UNIT) + n * np.eye(n)).reshape(shape)
    if dims is not None:
        a = np.moveaxis(a, range(-len(dims), 0), dims)
    return Arguments((a, d.array(side, SMALL)), (), {"dims": dims})


def solved_along(a: Array, b: Array, dims: tuple[int, ...] | None) -> Array:
    """Solve the system that a map of tensors stands for, some axes of which come last."""
    if dims is not None:
        a = np.moveaxis(a, dims, range(-len(dims), 0))
    return tensorsolve(a, b)


def triangular(d: Draw) -> Arguments:
    """Draw a triangular system whose sides may be batches, and all that is said of it."""
    (own, lead), n, k = d.pick(*LEADS), d.pick(3, 2), d.pick(1, 2)
    left = d.pick(None, False, True)
    b = d.array((*lead, *((k, n) if left is False else (n, k))), SMALL)
    return Arguments(
        (led(d, (*own, n, n)), b),
        (),
        {"upper": d.pick(True, False), "left": left, "unitriangular": d.pick(None, True, False)},
    )


def solved_triangular(a: Array, b: Array, upper: Flag, left: Flag, unitriangular: Flag) -> Array:
    """Solve a triangular system, from either side."""
    up, unit = bool(upper), bool(unitriangular)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    b = 0 * np.zeros((*lead, 1, 1)) + b
    if left is False:
        return turned(substituted(turned(a), turned(b), upper=not up, unit=unit))
    return substituted(a, b, upper=up, unit=unit)


def factored(d: Draw) -> Arguments:
    """Draw a factor and a right-hand side, which may be batches, and which triangle it fills."""
    (own, lead), n, k = d.pick(*LEADS), d.pick(3, 2), d.pick(1, 2)
    return Arguments(
        (led(d, (*own, n, n)), d.array((*lead, n, k), SMALL)),
        (),
        {"upper": d.pick(None, True, False)},
    )


def in_triangle(be: Any, a: Any, upper: Flag) -> Any:
    """What of a matrix is in a triangle, and zeros in the other one."""
    return be.triu(a) if upper else be.tril(a)


def of_factor(a: Array, upper: Flag) -> Array:
    """The matrix whose factor this is."""
    return gram(turned(np.triu(a)) if upper else np.tril(a))


def over_or_under(d: Draw) -> Arguments:
    """Draw systems with more equations than unknowns, or fewer, and how they are solved."""
    shape, k = d.shape(*OBLONG, (3, 1), many=0), d.pick(2, 1)
    # Not by gelsy, which is the default: its last bits depend on where the operands lie.
    named = {"driver": d.pick("gels", "gelsd", "gelss")}
    return Arguments((led(d, shape), d.array((*shape[:-1], k), SMALL)), (), named)


def least_squares(a: Array, b: Array, driver: str | None) -> Array:
    """The solution that leaves least, or the shortest of those that leave nothing."""
    del driver
    if a.shape[-2] < a.shape[-1]:
        return turned(a) @ solved(gram(a), b)
    return solved(turned(a) @ a, turned(a) @ b)


def of_rank(d: Draw) -> Arguments:
    """Draw two matrices whose product has all of its rank or less, and bounds for what counts."""
    (*lead, rows, columns), rank = d.shape(*OBLONG, many=0), d.pick(2, 1)
    tensors = led(d, (*lead, rows, rank)), led(d, (*lead, rank, columns))
    # Where rank is missing, a singular value is zero but for rounding.
    least = (0.0, None) if rank == 2 == min(rows, columns) else (0.125,)
    named = {"rtol": d.pick(0.125, *least), "atol": d.pick(None, 0.0, 0.25)}
    return Arguments(tensors, (), named)


def inverted(x: Array, y: Array, **_: Any) -> Array:
    """The inverse of least squares of a product, each factor of which has all of its rank."""
    return turned(y) @ solved(gram(y), solved(turned(x) @ x, turned(x)))


MATRIX_OPTIONS = (
    Operation("lu_options", eliminated, oblong, call=lambda be, x: [*be.lu_options(x)]),
    Operation("lu_factor_options", packed, oblong, call=calling("lu_factor_options", taken=0)),
    Operation(
        "cholesky_options",
        lambda x, upper: turned(cholesky(gram(x))) if upper else cholesky(gram(x)),
        lambda d: Arguments((dominant(d),), (), {"upper": d.pick(None, True, False)}),
        call=lambda be, x, **named: be.cholesky_options(definite(be, x), **given(**named)),
    ),
    Operation("qr_options", with_rest, in_any_mode, call=call_qr),
    Operation("svd_options", singular, apart, call=call_svd),
    Operation(
        "svdvals_options",
        singular_values,
        lambda d: Arguments(apart(d).tensors),
        call=lambda be, x: be.svdvals_options(x),
    ),
    Operation("eigh_options", lambda x, **_: eigensystem(x + turned(x)), halved, call=call_eigh),
    Operation(
        "eigvalsh_options",
        lambda x, **_: eigensystem(x + turned(x))[0],
        halved,
        call=lambda be, x, **named: be.eigvalsh_options(both(be, x, **named), **given(**named)),
    ),
    Operation(
        "lu_solve_options",
        solved_by_sides,
        by_sides,
        call=lambda be, a, b, **named: be.lu_solve_options(*be.lu_factor(a), b, **given(**named)),
    ),
    Operation("tensorsolve_options", solved_along, moved, call=calling("tensorsolve_options")),
    Operation("solve_options", solved_of_vectors, of_vectors, call=calling("solve_options")),
    Operation(
        "solve_triangular_options",
        solved_triangular,
        triangular,
        call=calling("solve_triangular_options"),
    ),
    Operation(
        "cholesky_solve_options",
        lambda a, b, upper: np.linalg.solve(of_factor(a, upper), b),
        factored,
        call=lambda be, a, b, upper: be.cholesky_solve_options(
            b, in_triangle(be, a, upper), **given(upper=upper)
        ),
    ),
    Operation(
        "cholesky_inverse_options",
        lambda a, upper: np.linalg.inv(of_factor(a, upper)),
        lambda d: Arguments((dominant(d),), (), {"upper": d.pick(None, True, False)}),
        call=lambda be, a, upper: be.cholesky_inverse_options(
            in_triangle(be, a, upper), **given(upper=upper)
        ),
    ),
    Operation(
        "lstsq_options", least_squares, over_or_under, call=calling("lstsq_options", taken=0)
    ),
    Operation("pinv_options", inverted, of_rank, call=lambda be, x, y, **named: be.pinv_options(
        be.matmul(x, y), **given(**named))),
)  # fmt: skip
"""Factors and solutions."""
