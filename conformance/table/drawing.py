"""Arguments of a call, read off a string of bytes.

One draw of bytes makes one call: every choice takes a byte, every entry of an array takes one. The
first option of a choice is the simplest, so that what refutes a claim shrinks to simple calls;
where the bytes end, zeros follow. A `Corner` fixes the kind of shape and the layout in memory, so
that every operation meets each of them whatever is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..strategies.arrays import (
    ANY,
    DENSE,
    LAYOUTS,
    NONZERO,
    POSITIVE,
    Layout,
    contiguous,
    expanded,
    sliced,
    table_of,
    transposed,
)

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
T = TypeVar("T")

SHAPES: tuple[Shape, ...] = (
    (3,), (2, 3), (), (1,), (0,), (4,), (3, 1), (1, 4), (2, 2), (0, 3), (2, 3, 2), (2, 1, 3)
)  # fmt: skip

PAIRS: tuple[tuple[Shape, Shape], ...] = (
    ((3,), (3,)), ((2, 3), (3,)), ((3,), ()), ((), ()), ((1, 2), (3, 1)), ((2, 1, 3), (4, 1)),
    ((2, 2), (2, 2)), ((1,), (3,)), ((), (2, 2)), ((0, 3), (1, 3)), ((1,), (0,)),
    ((2, 3, 1), (3, 2)),
)  # fmt: skip
"""Shapes that broadcast: in every way, to nothing included."""

SPECIAL = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5)
SMALL = table_of(*SPECIAL, *np.arange(-8, 9) / 4)
"""Values within two of zero."""
UNIT = table_of(0.0, 0.5, -0.5, 0.25, -0.25, 0.75, -0.75, 0.125, *np.arange(-6, 7) / 8)
"""Values strictly between -1 and 1."""
SMALL_POSITIVE = table_of(*(v for v in (1.0, 2.0, 0.5, 1.5, 1.0, 2.5, 0.75, 1.25)), 3.0, 1.75)
"""Values between a half and three."""

__all__ = [
    "ANY",
    "CORNERS",
    "NONZERO",
    "PAIRS",
    "POSITIVE",
    "SHAPES",
    "SMALL",
    "SMALL_POSITIVE",
    "UNIT",
    "Array",
    "Corner",
    "Draw",
    "Shape",
]


@dataclass(frozen=True)
class Corner:
    """A kind of shape and a layout: what has to be met whatever is drawn."""

    kind: str
    layout: Layout

    def prefers(self, shapes: Sequence[Shape]) -> bool:
        """Whether the shapes of some operands are of this kind."""
        sizes = [size for shape in shapes for size in shape]
        match self.kind:
            case "empty":
                return 0 in sizes
            case "number":
                return () in shapes
            case "narrow":
                return 1 in sizes and 0 not in sizes
            case _:
                return max(map(len, shapes), default=0) > 1 and min(sizes) > 1


CORNERS = (
    Corner("wide", transposed),
    Corner("narrow", sliced),
    Corner("number", contiguous),
    Corner("empty", contiguous),
    Corner("wide", expanded),
)


class Draw:
    """Choices, one after the other.

    With `apart`, no two entries of any arrays are equal, none is a multiple of 1/2 or zero, and
    differences between arrays are none either: what lies between two kinks lies far from both.
    """

    def __init__(
        self, codes: bytes, *, apart: bool = False, ties: bool = False, corner: Corner | None = None
    ) -> None:
        self._codes = codes
        self._at = 0
        self._arrays = 0
        self._apart = apart
        self._corner = corner
        self._layouts = DENSE if apart and ties else LAYOUTS

    def byte(self) -> int:
        """Take the next byte."""
        self._at += 1
        return self._codes[self._at - 1] if self._at <= len(self._codes) else 0

    def bytes(self, count: int) -> npt.NDArray[np.uint8]:
        """Take the next bytes."""
        taken = self._codes[self._at : self._at + count].ljust(count, b"\0")
        self._at += count
        return np.frombuffer(taken, np.uint8)

    def pick(self, *options: T) -> T:
        """Choose one of `options`."""
        return options[self.byte() % len(options)]

    def shape(self, *pool: Shape) -> Shape:
        """Choose a shape, from the common pool if none is given."""
        return self.shapes(*((shape,) for shape in pool or SHAPES))[0]

    def shapes(self, *pool: tuple[Shape, ...]) -> tuple[Shape, ...]:
        """Choose the shapes of several operands, two that broadcast if none are given."""
        pool = pool or PAIRS
        if self._corner:
            pool = tuple(shapes for shapes in pool if self._corner.prefers(shapes)) or pool
        return self.pick(*pool)

    def array(self, shape: Shape, values: Array = ANY) -> Array:
        """Fill a shape with values from a table; memory is laid out in all ways."""
        choice = self.byte()
        layout = self._layouts[choice % len(self._layouts)]
        if self._corner and self._corner.layout in self._layouts:
            layout = self._corner.layout
        codes = self.bytes(prod(shape))
        return layout(shape, self._lying_apart(codes) if self._apart else values[codes])

    def _lying_apart(self, codes: npt.NDArray[np.uint8]) -> Array:
        # Odd multiples of 1/16, of 1/32 in a second array, of 1/64 in a third: exact in any dtype.
        self._arrays += 1
        spread = 56 // max(1, codes.size)
        ranks = np.argsort(np.argsort(codes, kind="stable"), kind="stable")
        odd = 2 * (ranks * spread + self.byte() % max(1, spread) - 28) + 1
        return odd / 16 + sum(2.0 ** -(4 + n) for n in range(1, self._arrays))

    def axis(self, shape: Shape) -> int:
        """Choose an axis, counted from either end; a number has one."""
        rank = max(1, len(shape))
        return self.pick(*range(rank), *range(-rank, 0))

    def axes(self, shape: Shape) -> tuple[int, ...]:
        """Choose some axes, at least one if there is one."""
        rank = len(shape)
        chosen = tuple(axis for axis in range(rank) if self.byte() & 1)
        return chosen or tuple(range(min(1, rank)))

    def order(self, shape: Shape) -> tuple[int, ...]:
        """Choose an order of all axes."""
        codes = self.bytes(len(shape))
        return tuple(int(axis) for axis in np.argsort(codes, kind="stable"))

    def indices(self, shape: Shape, below: int) -> npt.NDArray[np.int64]:
        """Choose indices from 0 to `below` - 1, with repetitions."""
        return (self.bytes(prod(shape)) % max(1, below)).astype(np.int64).reshape(shape)

    def mask(self, shape: Shape) -> npt.NDArray[np.bool_]:
        """Choose some places."""
        return (self.bytes(prod(shape)) % 2 == 1).reshape(shape)
