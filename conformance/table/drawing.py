"""Arguments of a call, read off a string of bytes.

One draw of bytes makes one call: every choice takes a byte, every entry of an array takes one. The
first option of a choice is the simplest, so that what refutes a claim shrinks to simple calls;
where the bytes end, zeros follow. A `Corner` fixes the kind of shape and the layout in memory, so
that every operation meets each of them whatever is drawn.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..strategies.arrays import (
    ANY,
    NONZERO,
    POSITIVE,
    Layout,
    contiguous,
    expanded,
    sliced,
    table_of,
    transposed,
)
from .images import PICTURES, several_images
from .layouts import channels_last, columns, cropped, later, swapped

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
T = TypeVar("T")

SOLVED = 40
"""Entries of matrices that are solved or decomposed, at most, where many are meant."""

MANY = 264
"""Entries of all tensors together, at most, of a call with many.

More than vector registers, warps and blocks of 256 threads take at once.
"""

VAST = 2304
"""Entries of a call that is larger than what kernels take at once, at most.

More than blocks of 1024 threads take, and than the 2048 that some sort or reduce by themselves.
"""

SHARED = 39_601
"""Entries of a call that two threads share, at most: as many as a square of an odd side has.

So the last vector that a kernel takes is not filled.
"""

LONGEST = 66_049
"""Entries of one axis, at most: more than 16 bits tell apart."""

SHAPES: tuple[Shape, ...] = (
    (3,), (2, 3), (), (1,), (0,), (4,), (3, 1), (1, 4), (2, 2), (0, 3), (2, 3, 2), (2, 1, 3),
    (1, 2, 2), (1, 1, 2),
)  # fmt: skip

PAIRS: tuple[tuple[Shape, Shape], ...] = (
    ((3,), (3,)), ((2, 3), (3,)), ((3,), ()), ((), ()), ((1, 2), (3, 1)), ((2, 1, 3), (4, 1)),
    ((2, 2), (2,)), ((1,), (3,)), ((), (2, 2)), ((0, 3), (1, 3)), ((1,), (0,)),
    ((2, 3, 1), (3, 2)), ((3,), (2, 3)), ((3, 1), (1, 3)), ((2, 2), (2, 1)), ((3, 1), ()),
    ((1, 2, 1), (2, 1, 2)), ((2, 1), (1, 1, 2)), ((1, 1), (2, 3, 2)), ((2, 3, 2), (1, 1)),
)  # fmt: skip
"""Shapes that broadcast: in every way, to nothing included, and so that a wrong axis fits too."""

SPECIAL = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5)
SMALL = table_of(*SPECIAL, *np.arange(-8, 9) / 4)
"""Values within two of zero."""
UNIT = table_of(0.0, 0.5, -0.5, 0.25, -0.25, 0.75, -0.75, 0.125, *np.arange(-6, 7) / 8)
"""Values strictly between -1 and 1."""
HALVES = table_of(*SPECIAL)
"""Multiples of a half within two of zero."""
SMALL_POSITIVE = table_of(1.0, 2.0, 0.5, 1.5, 0.75, 2.5, 3.0, 1.25, 1.75)
"""Values between a half and three."""
SMALL_WHOLE = table_of(1.0, 2.0, -1.0, -2.0, 3.0, -3.0, 5.0, 4.0)
"""Whole numbers, none of them zero."""
ABOVE_ONE = table_of(*np.arange(6, 20) / 4)
"""Values from three halves to five."""

__all__ = [
    "ABOVE_ONE",
    "ALIKE",
    "ALONE",
    "ANY",
    "CROWDED",
    "DEEP",
    "FORMER",
    "HALVES",
    "HOLLOW",
    "IMAGES",
    "INT32",
    "IN_A_ROW",
    "KINDS",
    "MANY",
    "NONZERO",
    "PAIRS",
    "POSITIVE",
    "SHAPES",
    "SHARED",
    "SHARES",
    "SMALL",
    "SMALL_POSITIVE",
    "SMALL_WHOLE",
    "SOLVED",
    "STRIDES",
    "TOLD",
    "UNIT",
    "VAST",
    "VASTNESS",
    "Array",
    "Corner",
    "Draw",
    "Shape",
]


@dataclass(frozen=True)
class Corner:
    """A kind of shape and a layout for each tensor in its turn: to be met whatever is drawn.

    What is "long" has many entries along one axis, what is "large" along all that have several: as
    many in all as `most` allows. A "row" has many along its only axis, what is "inner" along the
    second of three. A "line" has one axis. What is "hollow" has no entries along the
    axes of one size, the smallest of several entries but `nth`. What is "stretched" has fewer axes
    than another, and several of one entry, and is met where operations have such shapes alone.
    Of "images" there are several with several channels, of "channels" so many that kernels take
    some of them at once; there `nth` says how: see `images`. Of "constants" and "int32" it is not
    the tensors that lie so, but what stands beside them.
    """

    kind: str
    layouts: tuple[Layout, ...]
    most: int = MANY
    nth: int = 0

    def __str__(self) -> str:
        kind = self.kind if self.most == MANY else f"{self.kind}-{self.most}"
        kind += f"-{self.nth}" * (self.nth > 0)
        return " ".join([kind, *(layout.__name__ for layout in self.layouts)])

    def at_most(self, most: int) -> "Corner":
        """Return the corner where many entries are no more than `most`."""
        return replace(self, most=most) if self.many else self

    @property
    def many(self) -> bool:
        """Whether there are more entries than could be drawn one by one."""
        grown = ("long", "large", *ALONE)
        return self.kind in grown or (self.kind in PICTURES and not self.nth)

    @property
    def or_else(self) -> "tuple[Corner, ...]":
        """The corner, and what is looked for where an operation has no such shape."""
        if self.kind not in ("deep", "hollow"):
            return (self,)
        return (self, replace(self, kind="wide"))

    def preferred(self, pool: Sequence[tuple[Shape, ...]]) -> tuple[tuple[Shape, ...], ...]:
        """Return those of several operands' shapes that are of this kind."""
        return tuple(shapes for shapes in pool if self.prefers(shapes))

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
            case "stretched":
                full = max(shapes, key=len)
                return min(full, default=0) > 1 and any(
                    len(each) < len(full) and each.count(1) > 1 for each in shapes
                )
            case "alike":
                return 0 not in sizes and len(set(shapes)) < len(shapes)
            case "line" | "row":
                return {*map(len, shapes)} == {1} and min(sizes) > 1
            case "inner":
                # What grows is that axis alone.
                apart = len(shapes[0]) == 3 and 1 < shapes[0][1] not in shapes[0][::2]
                return apart and 0 not in sizes
            case "images" | "channels":
                return 0 not in sizes and len(shapes[0]) > 2
            case _:
                rank = 3 if self.kind in ("deep", "hollow") else 2
                return max(map(len, shapes), default=0) >= rank and min(sizes) > 1


KINDS = tuple(Corner(kind, (contiguous,)) for kind in ("wide", "narrow", "number", "empty", "long"))
"""Corners for shapes."""

STRIDES = (
    Corner("wide", (transposed,)),
    Corner("wide", (expanded,)),
    Corner("wide", (cropped, sliced)),
    Corner("deep", (swapped, later, cropped)),
    Corner("wide", (columns, expanded, later)),
    Corner("large", (sliced, contiguous, transposed)),
    Corner("line", (sliced, sliced, later)),
)
"""Corners for layouts in memory."""

DEEP = Corner("deep", (contiguous,))
"""The corner for three axes, each of several entries."""

HOLLOW = tuple(Corner("hollow", (contiguous,), nth=nth) for nth in range(3))
"""Corners for an axis without entries beside others."""

ALIKE = Corner("alike", (contiguous,))
"""The corner for tensors of one shape: one may stand in the place of another."""

AXES = {"four": 4, "five": 5}
"""So many axes do tensors have in corners of these kinds."""

STRETCHED = "stretched"
"""The kind of corner for two shapes of which the shorter one is repeated along several axes."""

IN_FRONT = (2, 2, 1, 2)
"""Sizes of axes that come before those that an operation asks for."""

CROWDED = (
    Corner("four", (contiguous,)),
    Corner("five", (swapped, later, cropped)),
    Corner("four", (swapped,)),
    Corner("five", (channels_last, contiguous)),
    Corner("four", (cropped, channels_last)),
    Corner("five", (transposed, swapped)),
    Corner("four", (later, transposed)),
    Corner("five", (cropped, swapped)),
    Corner(STRETCHED, (contiguous,)),
)
"""Corners for more axes than most formulas are written down for."""

IMAGES = tuple(
    Corner(kind, layouts)
    for kind in PICTURES
    for layouts in ((contiguous,), (channels_last,), (channels_last, contiguous))
)
"""Corners for images with several channels, which may come last in memory."""

ALONE = ("row", "inner")
"""Kinds of corners that are met by operations which have such shapes, and by no others."""

VASTNESS = (
    Corner("long", (contiguous,), VAST),
    Corner("large", (transposed,), VAST),
    *(Corner(kind, (contiguous,), VAST) for kind in ALONE),
)
"""Corners for thousands of entries."""

SHARES = (Corner("long", (contiguous,), SHARED), Corner("large", (contiguous,), SHARED))
"""Corners for tens of thousands of entries."""

IN_A_ROW = Corner("row", (contiguous,), LONGEST)
"""The corner for tens of thousands of entries along the only axis."""

TOLD = tuple(Corner("constants", (way,)) for way in (transposed, sliced, cropped, columns))
"""Corners for indices, masks and weights that lie in memory in other ways."""

INT32 = (Corner("int32", (contiguous,)), Corner("int32", (sliced,)))
"""Corners for indices of 32 bits."""

FORMER = (Corner("wide", (contiguous, sliced)), Corner("wide", (sliced, contiguous, transposed)))
"""Corners that only witnesses are in which were found there once."""


class Draw:
    """Choices, one after the other.

    With `apart`, no two entries of any arrays are equal, none is a multiple of 1/2 or zero, and
    differences between arrays are none either: what lies between two kinks lies far from both.
    Sizes are `large` ones, if there are any, where thousands of entries are meant: see `large`.
    """

    def __init__(
        self,
        codes: bytes,
        *,
        layouts: tuple[Layout, ...] = (contiguous,),
        apart: bool = False,
        corner: Corner | None = None,
        large: Sequence[Any] = (),
    ) -> None:
        many = max(MANY, corner.most) if corner is not None and corner.many else 0
        self._codes = codes + (np.random.default_rng([*codes]).bytes(4 * many) if many else b"")
        self._at = 0
        self._made = 0
        self._arrays = 0
        self._finest = 1
        self._apart = apart
        self._corner = corner
        self._layouts = layouts
        self.is_large = bool(large) and corner in VASTNESS
        if large and corner is not None and corner.kind in ALONE:
            raise ValueError(f"what is large has sizes of its own, and none that are {corner.kind}")
        met = slice(1) if corner is not None and corner.kind == "long" else slice(-1, None)
        self._large = tuple(large[met]) if self.is_large else ()

    def go_on(self) -> None:
        """Let bytes without any order follow where there would be zeros, for what takes many."""
        self._codes += np.random.default_rng([*self._codes]).bytes(MANY)

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

    @property
    def of_equals(self) -> bool:
        """Whether tensors of one shape are meant, one of which may stand in another's place."""
        return self._corner is not None and self._corner.kind == ALIKE.kind

    def sized(self, *options: T) -> T:
        """Choose sizes: large ones where the operation has some, and these are met."""
        large: tuple[T, ...] = self._large
        self._large = ()
        return self.pick(*(large or options))

    def shape(self, *pool: Shape, many: int = MANY) -> Shape:
        """Choose a shape, from the common pool if none is given; see `shapes`."""
        return self.shapes(*((shape,) for shape in pool or SHAPES), many=many)[0]

    def shapes(self, *pool: tuple[Shape, ...], many: int = MANY) -> tuple[Shape, ...]:
        """Choose the shapes of several operands, two that broadcast if none are given.

        `many` is how many entries they may have in all where many are meant: fewer where results
        are larger or derivatives costly, 0 where the sizes cannot be other ones.
        """
        pool = pool or PAIRS
        if self._large:
            return self.sized(*pool)
        if self._corner:
            fitting = [each.preferred(pool) for each in self._corner.or_else]
            if self._corner.kind in (*ALONE, STRETCHED) and not fitting[0]:
                raise ValueError(f"there is no {self._corner.kind} among the shapes")
            pool = next(filter(None, fitting), pool)
        chosen = self.pick(*pool)
        if self._corner is not None and self._corner.kind in AXES:
            return _crowded(chosen, AXES[self._corner.kind])
        if self._corner is not None and self._corner.kind == "hollow":
            return _hollowed(chosen, self._corner.nth)
        if self._corner is not None and self._corner.kind in PICTURES:
            counts = PICTURES[self._corner.kind]
            return chosen if self._corner.nth else several_images(chosen, *counts)
        if self._corner is None or not self._corner.many:
            return chosen
        sizes = {size for shape in chosen for size in shape if size > 1}
        if self._corner.kind == "long":
            # All axes of one size: what has to be equal stays equal.
            sizes = {next((size for size in reversed(chosen[0]) if size > 1), 0)}
        if self._corner.kind == "inner":
            sizes = {chosen[0][1]}
        most = self._corner.most
        return _grown(chosen, sizes, most if many == MANY else min(many, most))

    def array(self, shape: Shape, values: Array = ANY, *, fixed: bool = False) -> Array:
        """Fill a shape with values from a table.

        A `fixed` table is used whether values have to lie apart or not.
        """
        layout = self._layout()
        codes = self.bytes(prod(shape))
        return layout(shape, self._spread(codes) if self._apart and not fixed else values[codes])

    def distinct(self, shape: Shape) -> Array:
        """Fill a shape with values that lie apart in any case."""
        values = self._spread(self.bytes(prod(shape)))
        return contiguous(shape, values)

    def _layout(self) -> Layout:
        self._made += 1
        choice = self._layouts[self.byte() % len(self._layouts)]
        if self._corner is None:
            return choice
        meant = self._corner.layouts[(self._made - 1) % len(self._corner.layouts)]
        fitting = meant in self._layouts or self._corner.kind in PICTURES
        return meant if fitting else choice

    def _spread(self, codes: npt.NDArray[np.uint8]) -> Array:
        # Odd multiples of 1/16, of 1/32 in a second array, of 1/64 in a third: exact in any dtype.
        # Where there are many, multiples of an eighth of that, or of a smaller power of two: of one
        # that earlier arrays have used, or else half an odd multiple is an odd one of theirs.
        self._arrays += 1
        if self._corner is not None and self._corner.many:
            self._finest = max(self._finest, 8 << (max(0, codes.size - 1) // 448).bit_length())
        finer = self._finest
        span = 56 * finer
        spread = span // max(1, codes.size)
        ranks = np.argsort(np.argsort(codes, kind="stable"), kind="stable")
        odd = 2 * (ranks * spread + self.byte() % max(1, spread) - span // 2) + 1
        return (odd / 16 + sum(2.0 ** -(4 + n) for n in range(1, self._arrays))) / finer

    def axis(self, shape: Shape) -> int:
        """Choose an axis, counted from either end; a number has one; what is long goes along it."""
        rank = max(1, len(shape))
        if self._corner is not None and self._corner.kind in ("long", "inner") and shape:
            longest = max(range(rank), key=shape.__getitem__)
            return self.pick(longest, longest - rank)
        chosen: int = self.pick(*range(rank), *range(-rank, 0))
        return chosen

    def axes(self, shape: Shape) -> tuple[int, ...]:
        """Choose some axes, counted from either end, at least one if there is one."""
        rank = len(shape)
        codes = [self.byte() for _ in range(rank)]
        if self._corner is not None and self._corner.kind == "four":
            # Axes that are apart: between two of them there is one that stays.
            codes = [code & ~1 | (axis + codes[0]) & 1 for axis, code in enumerate(codes)]
        chosen = tuple(axis - rank * (code >> 1 & 1) for axis, code in enumerate(codes) if code & 1)
        return chosen or tuple(range(min(1, rank)))

    def order(self, shape: Shape) -> tuple[int, ...]:
        """Choose an order of all axes."""
        codes = self.bytes(len(shape))
        return tuple(int(axis) for axis in np.argsort(codes, kind="stable"))

    def either(self, axes: Shape, rank: int) -> tuple[int, ...]:
        """Count each of some axes from one of both ends."""
        return tuple(axis - rank * (self.byte() & 1) for axis in axes)

    def indices(self, shape: Shape, below: int) -> npt.NDArray[np.int64]:
        """Choose indices from 0 to `below` - 1, with repetitions."""
        codes = self.bytes(prod(shape)).astype(np.int64)
        return (codes % max(1, below)).reshape(shape)

    def places(self, shape: Shape, size: int) -> npt.NDArray[np.int64]:
        """Choose places among `size`, counted from either end, with repetitions."""
        found = self.indices(shape, 2 * size)
        return np.where(found < size, found, found - 2 * size)

    def mask(self, shape: Shape) -> npt.NDArray[np.bool_]:
        """Choose some places."""
        chosen: npt.NDArray[np.bool_] = self.bytes(prod(shape)) % 2 == 1
        return chosen.reshape(shape)


def _crowded(shapes: tuple[Shape, ...], axes: int) -> tuple[Shape, ...]:
    """Put axes in front of the shapes with the most of them, until these are so many."""
    most = max(map(len, shapes))
    front = IN_FRONT[: max(0, axes - most)]
    return tuple(front + shape if len(shape) == most else shape for shape in shapes)


def _hollowed(shapes: tuple[Shape, ...], nth: int) -> tuple[Shape, ...]:
    """Take all entries from the axes of one size."""
    sizes = sorted({size for shape in shapes for size in shape if size > 1})
    gone = sizes[nth % len(sizes)] if sizes else 1
    return tuple(tuple(0 if size == gone else size for size in shape) for shape in shapes)


def _grown(shapes: tuple[Shape, ...], sizes: set[int], most: int) -> tuple[Shape, ...]:
    """Multiply these sizes by the same number, the largest with which there are so many entries."""

    def times(factor: int) -> tuple[Shape, ...]:
        return tuple(tuple(n * factor if n in sizes else n for n in shape) for shape in shapes)

    def size(factor: int) -> int:
        return sum(map(prod, times(factor)))

    return times(max(1, bisect_right(range(1, most + 1), most, key=size)))
