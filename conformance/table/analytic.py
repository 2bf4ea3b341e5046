"""The operations of complex numbers: records for `complexes`, each with its rule.

What is linear goes part by part; what is linear in each of two arguments by four products; a
matrix goes as the real one that stands for it; and what is written with operators alone is run as
it stands.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from ..truth.oracles import planes
from ..truth.oracles.jets import Jet
from ..truth.oracles.planes import Complex
from . import transforms
from .arguments import FILLED, FILLED_VECTORS, Arguments, alike, along, one, two
from .complex_matrices import COMPLEX_MATRICES, gram, of_squares, of_two_by_two, with_adjoint
from .complexes import ComplexOperation
from .decompositions import DECOMPOSITIONS
from .drawing import (
    NONZERO,
    SMALL,
    UNIT,
    Draw,
)
from .eigenvectors import COMPLEX_EIGENVECTORS
from .elementwise import ELEMENTWISE
from .indexing import INDEXING
from .joining import JOINING
from .linalg import LINALG
from .networks import NETWORKS
from .operation import Operation
from .reductions import REDUCING
from .resampling import RESAMPLING
from .shaping import SHAPING
from .writing import WRITING

REAL = {
    operation.name: operation
    for group in (
        *(ELEMENTWISE, REDUCING, SHAPING, JOINING, INDEXING, LINALG, NETWORKS),
        *(DECOMPOSITIONS, WRITING, RESAMPLING),
    )
    for operation in group
}
"""The real operations by name, so far as they are taken from."""

LINEAR = """
add sub where neg sum mean trace cumsum reshape permute transpose movedim squeeze unsqueeze expand
broadcast_to narrow select unbind split diagonal diag tril triu clone flip roll repeat pad
cat stack block_diag getitem gather take index_select masked_select scatter scatter_add index_add
index_copy index_put masked_scatter pad_reflect pad_replicate pad_circular
"""
"""Operations that are linear with real coefficients."""

BILINEAR = "mul matmul mm bmm mv dot inner outer tensordot kron conv1d conv2d conv_transpose2d"
"""Operations that are linear in each of their two tensors."""

WRITTEN = "addcmul addcdiv addmm baddbmm lerp"
"""Operations whose formula is written with operators alone."""

OF_MATRICES = "inverse solve matrix_power pinv lstsq matrix_exp solve_left"
"""Operations whose formula, on the real matrices that stand for complex ones, gives another one."""

SOME = table_of(1.0, 2.0, 0.5, -1.0, 1.5, -0.5, -2.0, 0.75, *(n / 4 for n in range(-8, 9) if n))
"""Parts within two of zero and other than zero: no branch is cut where both are so."""

# ---- lifted from real operations -----------------------------------------------------------------


def lifted(name: str, forward: Callable[..., Any], *, analytic: bool = True) -> ComplexOperation:
    """Take a real operation with another formula."""
    real = REAL[name]
    return ComplexOperation(
        name,
        forward,
        real.draw,
        call=real.call,
        view=real.view,
        broadcasts=real.broadcasts,
        nondeterministic=real.nondeterministic,
        analytic=analytic,
    )


def by_parts(real: Operation) -> Callable[..., Any]:
    """Compute part by part."""

    def forward(*numbers: Complex, **named: Any) -> Any:
        tensors = [x for x in numbers if isinstance(x, Complex)]
        rest = numbers[len(tensors) :]
        sides = [
            real.forward(*(getattr(x, part) for x in tensors), *rest, **named)
            for part in ("re", "im")
        ]
        if isinstance(sides[0], list):
            return [Complex(*each) for each in zip(*sides, strict=True)]
        return Complex(*sides)

    return forward


def by_products(real: Operation) -> Callable[..., Any]:
    """Compute by four products."""
    return lambda x, y, *options, **named: planes.product(real.forward, x, y, *options, **named)


def by_matrices(real: Operation) -> Callable[..., Any]:
    """Compute with real matrices."""

    def forward(*numbers: Complex, **named: Any) -> Any:
        given = [planes.embedded(x) if isinstance(x, Complex) else x for x in numbers]
        return planes.recovered(real.forward(*given, **named))

    return forward


LIFTED = (
    *(lifted(name, by_parts(REAL[name])) for name in LINEAR.split()),
    *(lifted(name, by_products(REAL[name])) for name in BILINEAR.split()),
    *(lifted(name, REAL[name].forward) for name in WRITTEN.split()),
    *(
        lifted(name, by_matrices(REAL[name]), analytic=name not in ("pinv", "lstsq"))
        for name in OF_MATRICES.split()
    ),
)

# ---- entry by entry ------------------------------------------------------------------------------


def analytic(name: str, forward: Callable[..., Any], draw: Any, **more: Any) -> ComplexOperation:
    """Make the record of a holomorphic function."""
    return ComplexOperation(name, forward, draw, analytic=True, **more)


def bent(name: str, forward: Callable[..., Any], draw: Any, **more: Any) -> ComplexOperation:
    """Make the record of a function that is not holomorphic."""
    return ComplexOperation(name, forward, draw, **more)


def one_over(z: Complex) -> Complex:
    """1 / z."""
    return z.conj / z.square


def cardinal(z: Complex) -> Complex:
    """The sine over its argument, of pi times a number."""
    return planes.sin(z * math.pi) / (z * math.pi)


CURVES = (
    analytic("exp", planes.exp, one(SMALL)),
    analytic("expm1", lambda z: planes.exp(z) - 1.0, one(SOME)),
    analytic("log", planes.log, one(SOME)),
    analytic("log2", lambda z: planes.log(z) / math.log(2), one(SOME)),
    analytic("log10", lambda z: planes.log(z) / math.log(10), one(SOME)),
    analytic("log1p", lambda z: planes.log(z + 1.0), one(SOME)),
    analytic("sqrt", planes.sqrt, one(SOME)),
    analytic("rsqrt", lambda z: one_over(planes.sqrt(z)), one(SOME)),
    analytic("exp2", lambda z: planes.exp(z * math.log(2)), one(UNIT)),
    analytic("sinc", cardinal, one(SOME)),
    analytic("square", lambda z: z * z, one(SMALL)),
    analytic("reciprocal", one_over, one(SOME)),
    analytic("sin", planes.sin, one(SMALL)),
    analytic("cos", planes.cos, one(SMALL)),
    analytic("tan", planes.tan, one(UNIT)),
    analytic("sinh", planes.sinh, one(SMALL)),
    analytic("cosh", planes.cosh, one(SMALL)),
    analytic("tanh", planes.tanh, one(UNIT)),
    analytic("asin", planes.asin, one(SOME)),
    analytic("acos", planes.acos, one(SOME)),
    analytic("atan", planes.atan, one(SOME)),
    analytic("asinh", planes.asinh, one(SOME)),
    analytic("acosh", planes.acosh, one(SOME)),
    analytic("atanh", planes.atanh, one(SOME)),
    analytic("sigmoid", lambda z: one_over(planes.exp(-z) + 1.0), one(UNIT)),
    analytic("div", lambda x, y: x / y, two(SMALL, SOME), broadcasts=True),
    analytic("pow", planes.power, two(SOME, UNIT), broadcasts=True),
    analytic("logaddexp", lambda x, y: planes.log(planes.exp(x) + planes.exp(y)),
             two(UNIT, UNIT), broadcasts=True),
)  # fmt: skip
"""Holomorphic functions."""

SURFACES = (
    bent("conj", lambda z: z.conj, one(), view="maybe"),
    bent("real", lambda z: z.re, one(), view="maybe"),
    bent("imag", lambda z: z.im, one(), view="maybe"),
    bent("abs", lambda z: z.size, one(NONZERO)),
    bent("angle", lambda z: z.angle, one(NONZERO)),
    bent("sgn", lambda z: z / z.size, one(NONZERO)),
    bent("view_as_real", lambda z: z.parts, one(), view="always"),
)
"""Functions of one number that are not holomorphic."""


# ---- many entries --------------------------------------------------------------------------------


def product_along(z: Complex, dim: int) -> Complex:
    """The product of all entries along an axis."""
    every = planes.running(z, dim)
    if every:
        return every[-1]
    shape = np.delete(z.shape, dim)
    return Complex.of(Jet.exact(np.ones(shape), like=z.re))


def products_along(z: Complex, dim: int) -> Complex:
    """The running products along an axis."""
    every = planes.running(z, dim)
    return planes.stacked(every, dim % len(z.shape)) if every else z


def log_of_sum(z: Complex, dim: int) -> Complex:
    """The logarithm of the sum of exponentials, which is far from the cut."""
    return planes.log(planes.exp(z).each(np.sum, axis=dim))


def logs_of_sums(z: Complex, dim: int) -> Complex:
    """The logarithms of the running sums of exponentials."""
    return planes.log(planes.exp(z).each(np.cumsum, axis=dim))


def divided(z: Complex) -> Complex:
    """The entries, multiplied and divided by one number: rounded as by whoever divides again."""
    total = z.each(np.sum) + 16.0
    return (z * total) / total


def scattered(d: Draw) -> Arguments:
    """Draw numbers of which no two are equal."""
    shape = d.shape((4,), (3,), (4, 3), (3, 4))
    x = d.distinct(shape) + 1j * d.distinct(shape)
    return Arguments((x,), d.pick((), (d.axis(shape),)) if min(shape) > 1 else ())


def variance(z: Complex, *dim: int, correction: int = 1) -> Jet:
    """The mean square of distances from the mean."""
    axis = dim[0] if dim else None
    count = z.re.size if axis is None else z.shape[axis]
    off = z - z.each(lambda x: x.mean(axis, keepdims=True))
    return off.square.sum(axis) / (count - correction)


def length(z: Complex) -> Jet:
    """The root of the sum of squares."""
    return planes.root(z.square.sum())


def between(x: Complex, y: Complex) -> Jet:
    """The mean of the distances."""
    return (x - y).size.mean()


def pairing(x: Complex, y: Complex) -> Complex:
    """The sum of products with the conjugates of the first entries."""
    return (x.conj * y).each(np.sum)


def pairing_along(x: Complex, y: Complex, dim: int) -> Complex:
    """The same along an axis."""
    return (x.conj * y).each(np.sum, axis=dim)


def layer(x: Complex, w: Complex, b: Complex) -> Complex:
    """Products with the rows of a matrix, and a summand for each."""
    return x @ w.each(np.transpose) + b


REDUCTIONS = (
    analytic(
        "prod",
        product_along,
        along(SOME, FILLED_VECTORS),
        formulas=(lambda z, dim: product_along(divided(z), dim),),
    ),
    analytic(
        "cumprod",
        products_along,
        along(SOME, FILLED_VECTORS),
        formulas=(lambda z, dim: products_along(divided(z), dim),),
    ),
    analytic("logsumexp", log_of_sum, along(UNIT, FILLED_VECTORS), call=REAL["logsumexp"].call),
    analytic("logcumsumexp", logs_of_sums, along(UNIT, FILLED_VECTORS)),
    bent("var", variance, REAL["var"].draw),
    bent("std", lambda z, *dim, **o: planes.root(variance(z, *dim, **o)), scattered),
    bent("norm", length, one(NONZERO, FILLED)),
    bent("l1_loss", between, alike(NONZERO, UNIT * 0.25 + 0.0625, shapes=FILLED)),
    bent("vdot", pairing, REAL["vdot"].draw),
    bent("vecdot", pairing_along, REAL["vecdot"].draw, call=REAL["vecdot"].call),
    analytic("linear", layer, REAL["linear"].draw),
)
"""Functions of many entries."""


# ---- linear algebra ------------------------------------------------------------------------------


def mixed_determinant(z: Complex) -> Complex:
    """The determinant by way of a reflection that mixes all columns, as eliminations do."""
    v = np.arange(1.0, z.shape[-1] + 1)
    return -planes.determinant(z.each(np.matmul, np.eye(v.size) - 2 / (v @ v) * np.outer(v, v)))


def levels(h: Complex) -> tuple[Jet, Jet]:
    """The eigenvalues of Hermitian matrices of two rows: the smaller, then the larger ones."""
    first, last, aside = h[..., 0, 0].re, h[..., 1, 1].re, h[..., 0, 1].square
    middle, half = (first + last) / 2, (last - first) / 2
    radius = planes.root(half * half + aside)
    # Whoever turns the matrix rounds to the size of the largest of them.
    found = planes.together(middle - radius, middle + radius)
    return found.re, found.im


def side_by_side(x: Any, y: Any) -> Jet:
    """Put two numbers along a new last axis."""
    made: Any = np.stack([x, y], -1)
    pair: Jet = made
    return pair


def eigenvalues(z: Complex) -> Jet:
    """The eigenvalues of a matrix added to its adjoint."""
    return side_by_side(*levels(z + planes.adjoint(z)))


def symmetric(be: Any, x: Any) -> Any:
    """Add matrices to their adjoints."""
    return be.add(x, be.conj(be.transpose(x, -2, -1)))


def singular_values(z: Complex) -> Jet:
    """The roots of the eigenvalues of a matrix times its adjoint, the largest first."""
    low, high = levels(gram(z))
    return side_by_side(planes.root(high), planes.root(low))


def projected(z: Complex) -> Complex:
    """The projections onto the eigenvectors of the smaller eigenvalues."""
    h = z + planes.adjoint(z)
    low, high = levels(h)
    shift = Complex.of(high[..., None, None] * np.eye(2))
    return (shift - h) / (high - low)[..., None, None]


def project(be: Any, x: Any) -> Any:
    """Multiply first eigenvectors with their adjoints: no phase of theirs is left."""
    _, vectors = be.eigh(symmetric(be, x))
    first = be.matmul(vectors, be.tensor(np.array([[1 + 0j], [0j]])))
    return be.matmul(first, be.conj(be.transpose(first, -2, -1)))


def on_first_column(z: Complex) -> Complex:
    """The projections onto first columns."""
    first = z[..., :, :1]
    return (first @ planes.adjoint(first)) / first.square.sum(-2)[..., None]


def project_on_first(be: Any, x: Any) -> Any:
    """The same by columns that are orthonormal, of which the phase is left open."""
    first = be.matmul(be.qr(x)[0], be.tensor(np.array([[1 + 0j], [0j]])))
    return be.matmul(first, be.conj(be.transpose(first, -2, -1)))


def phase(z: Complex) -> Complex:
    """Numbers over their sizes."""
    return z / z.size


def sign_and_logarithm(z: Complex) -> list[Any]:
    """Phases of numbers, and the logarithms of their sizes."""
    return [phase(z), planes.log(z).re]


MATRICES = (
    analytic("det", planes.determinant, of_squares,
             formulas=(mixed_determinant, lambda z: planes.determinant(divided(z)))),
    bent("slogdet", lambda z: sign_and_logarithm(planes.determinant(z)), of_squares),
    bent("cholesky", lambda z: planes.cholesky(gram(z)), of_squares,
         call=lambda be, x: be.cholesky(with_adjoint(be, x))),
    bent("eigvalsh", eigenvalues, of_two_by_two,
         call=lambda be, x: be.eigvalsh(symmetric(be, x))),
    bent("eigh", projected, of_two_by_two, call=project),
    bent("svdvals", singular_values, of_two_by_two),
    bent("qr", on_first_column, of_two_by_two, call=project_on_first),
)  # fmt: skip
"""Functions of matrices."""


# ---- Fourier transforms --------------------------------------------------------------------------


def recovered(parts: Any) -> Complex:
    """Take numbers back from their parts."""
    return planes.together(parts[..., 0], parts[..., 1])


def transform(name: str, sign: int, axes: int) -> ComplexOperation:
    """Make the record of a transform of complex numbers into such."""
    forward = transforms.full(sign)
    return analytic(
        name,
        lambda z, *options: recovered(forward(z.re, z.im, *options)),
        transforms.drawn(1, axes, back=False),
        call=called(name, axes),
    )


def to_real(name: str, sign: int, axes: int) -> ComplexOperation:
    """Make the record of a transform into real numbers."""
    forward = transforms.to_real(sign)
    return bent(
        name,
        lambda z, *options: forward(z.re, z.im, *options),
        transforms.drawn(1, axes, back=True),
        call=called(name, axes),
    )


def called(name: str, axes: int) -> Callable[..., Any]:
    """Call a transform with its sizes and axes, or with the only one of each."""

    def call(be: Any, x: Any, sizes: Any, dims: Any, norm: str) -> Any:
        one = axes == 1
        return getattr(be, name)(x, sizes[0] if one else sizes, dims[0] if one else dims, norm)

    return call


TRANSFORMS = (
    transform("fft", -1, 1),
    transform("ifft", 1, 1),
    transform("fft2", -1, 2),
    transform("ifft2", 1, 2),
    to_real("irfft", 1, 1),
    to_real("hfft", -1, 1),
    to_real("irfft2", 1, 2),
)
"""Fourier transforms of complex numbers."""

COMPLEX: tuple[ComplexOperation, ...] = (
    *LIFTED,
    *CURVES,
    *SURFACES,
    *REDUCTIONS,
    *MATRICES,
    *COMPLEX_MATRICES,
    *COMPLEX_EIGENVECTORS,
    *TRANSFORMS,
)
"""Every operation of complex numbers."""

ANALYTIC = tuple(operation for operation in COMPLEX if operation.analytic)

MIXING = """
add sub mul div pow matmul mm bmm mv dot inner outer tensordot kron where conv1d conv2d
addcmul linear solve
"""
"""Operations that take complex and real tensors together, where libraries do."""

PROMOTING = "add sub mul div pow where cat stack"
"""Of these, those that promote a real operand."""

MIXED = tuple(
    replace(operation, mixed=True) for operation in COMPLEX if operation.name in PROMOTING.split()
)
"""Operations of complex and of real tensors together."""
