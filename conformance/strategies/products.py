"""Products of vectors, matrices and batches, and sums of products by the names of their axes."""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from hypothesis import strategies as st

from ..truth.tolerance import Total
from .arrays import ANY, LAYOUTS, Array, so_many_bytes

Shape = tuple[int, ...]
Batches = tuple[tuple[Shape, Shape], ...]

NO_BATCH: Batches = (((), ()),)
PAIRED: Batches = (((2,), (2,)), ((3,), (3,)), ((1,), (1,)), ((0,), (0,)))
BROADCAST: Batches = (
    *((((), ()),) * 4),
    ((2,), (2,)),
    ((2,), (1,)),
    ((), (3,)),
    ((2,), ()),
    ((2, 1), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((0,), (1,)),
)
"""Leading sizes of two operands that broadcast against each other."""

SIZES = (2, 3, 1, 2, 3, 4, 2, 0)


def _arrays(draw: st.DrawFn, layouts: bytes, *shapes: Shape) -> list[Array]:
    """Draw arrays of these shapes at once, each in its own layout."""
    sizes = [int(np.prod(shape, dtype=int)) for shape in shapes]
    entries = ANY[np.frombuffer(draw(so_many_bytes(sum(sizes))), np.uint8)]
    parts = np.split(entries, np.cumsum(sizes)[:-1])
    return [
        LAYOUTS[code % len(LAYOUTS)](shape, part)
        for code, shape, part in zip(layouts, shapes, parts, strict=False)
    ]


# ---- matrix products -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Product:
    """Two operands of a matrix product, and a cotangent for it."""

    x: Array
    y: Array
    w: Array

    @property
    def value(self) -> Total:
        """The product."""
        return Total.matmul(self.x, self.y)

    @property
    def gradients(self) -> tuple[Total, Total]:
        """The gradients of both operands: all products of three, added up over what they share."""
        x = self.x[None] if self.x.ndim == 1 else self.x
        y = self.y[:, None] if self.y.ndim == 1 else self.y
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        w = self.w.reshape(*batch, x.shape[-2], y.shape[-1])
        for_x = Total.onto(w[..., :, None, :] * y[..., None, :, :], (*x.shape, 1))
        for_y = Total.onto(
            w[..., :, None, :] * x[..., :, :, None], (*y.shape[:-2], 1, *y.shape[-2:])
        )
        return for_x.reshape(self.x.shape), for_y.reshape(self.y.shape)


@st.composite
def products(draw: st.DrawFn, batches: Batches = BROADCAST, *, vectors: bool = False) -> Product:
    """Draw two operands with leading sizes from `batches`; either may be a vector, if asked."""
    kind, form, n, m, p, *layouts = draw(so_many_bytes(8))
    left, right = batches[kind % len(batches)]
    rows, inner, columns = (SIZES[code % len(SIZES)] for code in (n, m, p))
    x, y = (*left, rows, inner), (*right, inner, columns)
    if vectors and form & 1:
        x = (inner,)
    if vectors and form & 2:
        y = (inner,)
    made = np.matmul(np.empty(x), np.empty(y)).shape
    return Product(*_arrays(draw, bytes(layouts), x, y, made))


# ---- sums of products ----------------------------------------------------------------------------

LENGTHS = {"b": 2, "i": 3, "a": 2, "j": 1, "c": 3}
"""The axes there are, and how long they are; not in the order of the alphabet."""


def _single(names: str) -> str:
    """Return the names that stand once, in the order of the alphabet."""
    return "".join(sorted(name for name in names if names.count(name) == 1))


@dataclass(frozen=True, eq=False)
class Contraction:
    """Operands whose axes have names, the names that the result keeps, and a cotangent for it."""

    names: tuple[str, ...]
    kept: str
    operands: tuple[Array, ...]
    w: Array

    @property
    def equation(self) -> str:
        """The contraction as it is written, without the result if that need not be said."""
        operands = ",".join(self.names)
        return operands if self.kept == _single("".join(self.names)) else f"{operands}->{self.kept}"

    @property
    def value(self) -> Total:
        """The sum, over all names that are not kept, of the products of the operands."""
        factors = [self._spread(n) for n in range(len(self.operands))]
        return self._total(reduce(np.multiply, factors), self._places(self.kept), self.w.shape)

    @property
    def gradients(self) -> list[Total]:
        """The gradient of each operand: the cotangent times the others, put where it was read."""
        made = []
        for n, operand in enumerate(self.operands):
            others = [self._spread(k) for k in range(len(self.operands)) if k != n]
            terms = reduce(np.multiply, others, self.w[self._places(self.kept)])
            places = self._places(self.names[n], operand.shape)
            made.append(self._total(terms, places, operand.shape))
        return made

    @property
    def _all(self) -> str:
        return "".join(sorted(set("".join(self.names))))

    def _places(self, names: str, shape: Shape | None = None) -> tuple[Array, ...]:
        """For each name, its place at every point of the grid of all names."""
        grid = dict(zip(self._all, np.indices([LENGTHS[k] for k in self._all]), strict=True))
        sizes = shape or [LENGTHS[name] for name in names]
        return tuple(np.minimum(grid[k], size - 1) for k, size in zip(names, sizes, strict=True))

    def _spread(self, n: int) -> Array:
        spread: Array = self.operands[n][self._places(self.names[n], self.operands[n].shape)]
        return spread

    def _total(self, terms: Array, places: tuple[Array, ...], shape: Shape) -> Total:
        full = np.broadcast_to(terms, [LENGTHS[k] for k in self._all])
        numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)[places]
        value, magnitude = np.zeros((2, np.prod(shape, dtype=int)))
        numbers = np.broadcast_to(numbers, full.shape)  # without names, one place for all
        np.add.at(value, numbers, full)
        np.add.at(magnitude, numbers, np.abs(full))
        return Total(value, magnitude, full.size).reshape(shape)


@st.composite
def contractions(draw: st.DrawFn) -> Contraction:
    """Draw one to three operands of up to three axes; a name may stand twice in one of them.

    The result keeps some of the names, in any order: in half of the cases those that it keeps if
    nothing is said. Some axes have size one and are broadcast.
    """
    count, style, order, *codes = draw(so_many_bytes(15))
    letters = "".join(LENGTHS)
    names = tuple(
        "".join(
            letters[code % len(letters)] for code in codes[3 * n : 3 * n + 1 + codes[9 + n] % 3]
        )
        for n in range(1 + count % 3)
    )
    every = "".join(names)
    if style & 1:
        kept = _single(every)
    else:
        unique = sorted(dict.fromkeys(every), key=lambda name: (order * ord(name)) % 251)
        kept = "".join(unique[: style // 2 % (len(unique) + 1)])
    shapes = [tuple(LENGTHS[name] for name in group) for group in names]
    if style >= 192 and names[0][0] in "".join(names[1:]) and names[0].count(names[0][0]) == 1:
        shapes[0] = (1, *shapes[0][1:])
    *operands, w = _arrays(draw, bytes(codes[:4]), *shapes, tuple(LENGTHS[k] for k in kept))
    return Contraction(names, kept, tuple(operands), w)
