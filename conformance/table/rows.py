"""Rows where formulas break though functions do not: far out, of mixed sizes, far from their mean.

A `Rows` is one call of an operation that works row by row, on many rows at once. No row knows of
the others, so that the derivatives by the first entry of every row stand in one column.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..truth.oracles.jets import Jet
from ..truth.tolerance import Total, unit_roundoff
from .arguments import Arguments
from .call import beside
from .domains import CLOSE, FAR
from .drawing import Array
from .operation import Operation
from .points import NUMBERS, Grid, Points, fixed, flushed

WIDTH = 4
"""Entries of a row."""


Rest = Callable[[int, int], tuple[tuple[Any, ...], dict[str, Any]]]
"""What follows the tensors in a call on so many rows of such a width: options, and named ones."""


def given(*options: Any, **named: Any) -> Rest:
    """Give the same, whatever the rows."""
    return lambda _count, _width: (options, named)


along_rows = given(1)


def labelled(count: int, width: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Label every row with the last class."""
    named = {"weight": np.ones(width), "ignore_index": -100, "reduction": "none"}
    return (np.full(count, width - 1),), {**named, "label_smoothing": 0.0}


def none(_: Array) -> Sequence[Array]:
    """Nothing is met on the way that may leave the numbers."""
    return ()


@dataclass(frozen=True)
class Line:
    """What an operation is asked on rows.

    `others` are constant tensors that follow those of rows, then comes the `rest`. `met` tells what
    whoever computes meets on the way. An entry that is the `mask` has no share: beside it the
    others are what they were. Rows of sizes below the `least` are left out, for a documented bound
    takes their place.
    """

    tensors: int = 1
    others: tuple[Array, ...] = ()
    rest: Rest = along_rows
    met: Callable[[Array], Sequence[Array]] = none
    mask: float = 0.0
    least: float = 0.0


def squares(x: Array) -> Sequence[Array]:
    """Squares: that libraries take them, though a norm is smaller, is an accepted choice."""
    return (x * x, WIDTH * x * x)


def cubes(x: Array) -> Sequence[Array]:
    """Cubes: the derivative of the root of a square that is divided by has them."""
    return (x**3, WIDTH * x**3)


def products(x: Array) -> Sequence[Array]:
    """Products of some of the entries: in which order they are taken is open."""
    size = np.where(x == 0, 1, np.abs(x))
    return tuple(
        np.broadcast_to(np.prod(bound(size, 1), -1, keepdims=True), x.shape)
        for bound in (np.maximum, np.minimum)
    )


ONES, ZEROS = np.ones(WIDTH), np.zeros(WIDTH)

LINES: dict[str, Line] = {
    "softmax": Line(mask=-np.inf),
    "log_softmax": Line(mask=-np.inf),
    "softmin": Line(mask=np.inf),
    "logsumexp": Line(mask=-np.inf),
    "logsumexp_several": Line(rest=given((1,), False), mask=-np.inf),
    "logcumsumexp": Line(mask=-np.inf),
    "cross_entropy_labels": Line(rest=labelled, mask=-np.inf),
    "glu": Line(),
    "prod": Line(met=products),
    "cumprod": Line(met=products),
    "var": Line(met=squares),
    "std": Line(met=squares),
    "norm_order": Line(rest=given(2.0, 1, False), met=squares),
    "vector_norm": Line(rest=given(3.0, 1, False), met=cubes),
    "normalize_order": Line(rest=given(2.0, 1, 1e-12), met=cubes),
    "layer_norm": Line(others=(ONES, ZEROS), rest=given(eps=0.25), met=cubes),
    "rms_norm": Line(others=(ONES,), rest=given((WIDTH,), eps=0.25), met=cubes),
    "cosine_similarity": Line(tensors=2, rest=given(), met=cubes, least=2.0**-12),
}
"""Operations that work row by row."""

MASKS = {name for name, line in LINES.items() if line.mask}
"""Operations beside whose masks the other entries are what they were."""

LOGARITHMS = ("logsumexp", "logsumexp_several", "logcumsumexp")
"""Logarithms of sums of powers of e."""

STEPS = np.array([0.0, 1.0, -2.0, 3.0])
"""Small differences."""

PATTERNS: tuple[Callable[[float], Any], ...] = (
    lambda size: size + STEPS,
    lambda size: -size + STEPS,
    lambda size: size * (STEPS + 0.5),
    lambda size: (size, -1.0, 0.5, -size / 2),
    lambda size: (-size, 2.0, size, 1 / size),
    lambda size: (size, size, size, size),
    lambda size: (0.0, size, -size, 1.0),
)
"""How a row is made from a size: about it, of its sign or of both, beside others, and with ties."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows(Grid):
    """The call of an operation at rows."""

    def at(self, tensors: tuple[Array, ...]) -> "Rows":
        """Ask at other rows."""
        options, named = self.line.rest(*tensors[0].shape)
        return replace(self, arguments=Arguments(tensors, options, named))

    @property
    def line(self) -> Line:
        """What the operation is asked."""
        return LINES[self.operation.name]

    def met(self) -> Sequence[Array]:
        """What is to be numbers of the dtype beside the arguments."""
        return [each for x in self.tensors for each in self.line.met(x)]

    def within(self, dtype: str, order: int) -> "Rows":
        """As of a grid; of second derivatives rows are left out of which rounding leaves nothing.

        Where rounding an argument once makes other shares of what they were, nothing is known of
        how these change.
        """
        kept = super().within(dtype, order)
        if order < 2:
            return kept
        value, error = np.abs(kept.jets(1)[1].numbers[:, 0, 1:])
        axes = (0, *range(2, value.ndim))
        known = unit_roundoff(dtype) * error.max(axes, initial=0) < value.max(axes, initial=0) / 8
        return kept if known.all() else kept.at(tuple(fixed(x[known]) for x in kept.tensors))

    def movable(self) -> Iterator[tuple[int, Array]]:
        """Yield the number of a tensor, and ones for an entry of every row."""
        for place in range(len(self.tensors)):
            yield from ((place, part) for part in np.eye(WIDTH))

    def _seeds(self, tensors: Sequence[Array], sides: int) -> list[Jet]:
        """The tensors, with a column for each entry of a row."""
        made = []
        for place, x in enumerate(tensors):
            numbers = np.zeros((2, sides, 1 + len(tensors) * WIDTH, *x.shape))
            numbers[0, 0, 0] = x
            for entry in range(WIDTH):
                numbers[0, 0, 1 + place * WIDTH + entry, :, entry] = 1
            if sides == 2:
                numbers[0, 1, 0] = self.tangents[place]
            made.append(Jet(numbers))
        return made

    @property
    def last(self) -> Array:
        """A cotangent of one for what is made of all entries of a row, and of zero for the rest."""
        cotangent = np.zeros(self.result.shape)
        if cotangent.ndim == 1:
            return np.ones_like(cotangent)
        cotangent[..., -1] = 1.0
        return cotangent

    def masked(self, at: int) -> "Rows":
        """Put a mask before an entry of every row."""
        return self.at(tuple(np.insert(x, at, self.line.mask, 1) for x in self.tensors))

    def beside_masks(self, at: int) -> tuple[Array, Total, list[Total]]:
        """Return what is asked and true of masked rows, the masks themselves being left out.

        That is a cotangent, the value, and for each tensor the gradient. What numpy has in the
        place of a mask is zero or infinite, or repeats what a running sum had before it.
        """
        value, cotangent = self.value(), self.cotangent
        if value.value.ndim > 1:
            with np.errstate(divide="ignore"):
                found = self.masked(at).result[:, at]
            value, cotangent = inserted(value, at, found), np.insert(cotangent, at, 0.0, 1)
        return cotangent, value, [inserted(each, at, 0.0) for each in self.gradients()]

    # ---- what is true, row by row ----------------------------------------------------------------

    def gradients(self, cotangent: npt.ArrayLike | None = None) -> list[Total]:
        """The cotangent through the transposed derivative, for each tensor."""
        v = self.cotangent if cotangent is None else np.asarray(cotangent)
        return self._parted(*self._gathered(self._once.numbers[:, 0, 1:], v))

    def second(self) -> list[Total]:
        """The gradient of the tangents paired with the first gradients.

        As in a grid it may be made of first derivatives, which are rounded.
        """
        v = self.cotangent
        value, error = self._gathered(self._twice.numbers[:, 1, 1:], v)
        scale = 4 * (1 + np.max([np.abs(x).max(1) for x in self.tensors], 0))
        columns = np.abs(self._once.numbers[0, 0, 1:])
        along = np.abs(np.concatenate([t.T for t in self.tangents]))
        first = self._gathered(columns[None].repeat(2, 0), np.abs(v))[0] * along
        return self._parted(value, error + scale * np.abs(value) + first.sum(0))

    def pushed(self) -> Total:
        """The derivative of the result along the tangents."""
        value, error = self._once.numbers[:, 0, 1:]
        along = np.concatenate([t.T for t in self.tangents])
        along = along.reshape(*along.shape, *(1,) * (value.ndim - 2))
        terms, off = value * along, error * np.abs(along)
        sizes = np.abs(terms).sum(0)
        return flushed(terms.sum(0), off.sum(0) + (1 + len(along)) * sizes)

    @staticmethod
    def _gathered(numbers: Array, weights: Array) -> tuple[Array, Array]:
        """Weigh what each entry of a row does to every result, and add up those of the row."""
        value, error = numbers
        terms, off = value * weights, error * np.abs(weights)
        axes = tuple(range(2, value.ndim))
        count = 1 + np.prod([value.shape[a] for a in axes], dtype=int)
        return terms.sum(axes), off.sum(axes) + count * np.abs(terms).sum(axes)

    def _parted(self, value: Array, error: Array) -> list[Total]:
        """Give each tensor its part of the columns."""
        parts = zip(np.split(value, len(self.tensors)), np.split(error, len(self.tensors)),
                    strict=True)  # fmt: skip
        return [flushed(v.T, e.T) for v, e in parts]


@cache
def rows_of(operation: Operation) -> Rows:
    """Return the call of an operation at all rows."""
    line = LINES[operation.name]
    sizes = [size for size in (*FAR, *CLOSE) if size >= line.least]
    every = [pattern(size) for size in sizes for pattern in PATTERNS]
    if operation.kinks:
        every = [row for row in every if 0 < len({*map(abs, row)} - {0}) == WIDTH]
    first = np.array(every)
    # Whose directions are compared are not parallel: the other row has other signs.
    tensors = (first, np.roll(first, 1, 0) * [1, -1, -1, 1])[: line.tensors]
    asked = beside(operation, (), line.others) if line.others else operation
    blank = Rows(asked, Arguments(()), NUMBERS, word="rows:")
    return blank.at(tuple(map(fixed, tensors)))


@dataclass(frozen=True)
class AllRows(Points):
    """Calls at rows of the operation that is named when a claim runs."""

    kind: str = "rows"

    def every(self, operation: Operation) -> Rows:
        """Return the call at all rows."""
        return rows_of(operation)


def inserted(total: Total, at: int, value: npt.ArrayLike) -> Total:
    """Put a value before an entry of every row.

    It is exact where it is zero or infinite, and elsewhere rounded as the entry before it.
    """
    exact = (np.asarray(value) == 0) | np.isinf(value)

    def put(bounds: npt.ArrayLike) -> Array:
        each = np.broadcast_to(bounds, total.value.shape)
        return np.insert(each, at, np.where(exact, 0.0, each[:, at - 1]), 1)

    return replace(
        total,
        value=np.insert(total.value, at, value, 1),
        magnitude=put(total.magnitude),
        error_bound=put(total.error_bound),
    )


def rows() -> AllRows:
    """Draw rows for the operation at hand."""
    return AllRows()
