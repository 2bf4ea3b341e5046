"""Choices off bytes, with a rough idea of what a run will have made by then.

The reader knows of each variable its shape, whether it is of the other dtype, and marks: what it
expects a run to find. That makes operands fit each other, and refusals rare. It may be wrong: what
is refused is for a run to say, and a variable that was never made is skipped by whoever names it,
on every backend alike.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from .language import Shape

T = TypeVar("T")

VALUES = (1, -1, 2, 0, 3, -2, 1, 2, -3, 1, -1, 0, 2, 4, -1, 1)
"""Entries of leaves, constants and cotangents: their sums and products are exact."""

RECENT = 4
"""Most operands are among so many of the latest variables: they are views of each other."""

ODD = 251
"""From here on, a byte asks for an operand that need not fit: a refusal is drawn on purpose."""

DARING = 244
"""From here on, the byte before asks for a target whether it may be written or not."""

TRACKED, LEAF, OF_LEAF, VIEW, FROZEN, OVERLAP, INFERENCE = (1 << n for n in range(7))
"""Marks: requires grad; is a leaf, or a view of one, that does; a view; one whose history cannot be
rewritten; one with several entries in one place; made for inference."""

UNWRITABLE = LEAF | OF_LEAF | FROZEN | OVERLAP
"""Marks of what cannot be written while recording."""


class Reader:
    """Reads choices off the bytes of one statement after the other."""

    def __init__(self, data: bytes, *, daring: bool = True) -> None:
        self.data = data
        self.daring = daring  # draws what may be refused, on purpose
        self.at = 0
        self.end = 0
        self.shapes: list[Shape] = []
        self.other: list[bool] = []
        self.marks: list[int] = []
        self.base: list[int] = []  # of which variable each one is a view, or itself
        self.memory: list[int] = []  # whose memory it has
        self.saved: set[int] = set()  # memories that a node keeps
        self.modes: list[bool] = []  # what to go back to after each block
        self.recording = True
        self.hooked: set[int] = set()

    # ---- choices ---------------------------------------------------------------------------------

    def byte(self) -> int:
        """Return the next byte of the statement, 0 when there is none left."""
        at = self.at
        if at >= self.end:
            return 0
        self.at = at + 1
        return self.data[at]

    def pick(self, choices: Sequence[T]) -> T:
        """Choose one."""
        return choices[self.byte() % len(choices)]

    def chance(self, parts: int) -> bool:
        """Whether something happens that happens once in so many draws."""
        return self.byte() % parts == 1

    def dim(self, shape: Shape) -> int:
        """Choose an axis, counted from either end; 0 of a scalar."""
        byte = self.byte()
        axis = byte % max(1, len(shape))
        return axis - len(shape) if byte & 128 and shape else axis

    def entries(self, shape: Shape) -> tuple[int, ...]:
        """Choose small integers for a tensor of this shape."""
        seed = self.byte()
        return tuple(VALUES[(seed + 7 * i + (seed >> 4) * i * i) % 16] for i in range(size(shape)))

    # ---- operands --------------------------------------------------------------------------------

    def operand(
        self, fits: Callable[[Shape], bool] | None = None, wants: int = 0, avoids: int = 0
    ) -> int:
        """Choose a variable, a late one by preference; the nearest that fits, or -1.

        Once in a while it has not the marks that are wanted, or has those to be avoided.
        """
        byte, shapes, marks = self.byte(), self.shapes, self.marks
        count = len(shapes)
        late = min(count, RECENT)
        start = count - 1 - byte % late if byte < 192 else byte % count
        if byte >= ODD and (fits is None or fits(shapes[start])):
            return start
        for number in range(start, start - count, -1):  # below 0 it counts from the end
            if marks[number] & avoids or marks[number] & wants != wants:
                continue
            if fits is None or fits(shapes[number]):
                return number % count
        return -1

    def target(self, fits: Callable[[Shape], bool] | None = None) -> int:
        """Choose what to write into: mostly what may be written, and what no node keeps."""
        if self.data[self.at - 1] >= DARING:
            return self.operand(fits)
        avoids = UNWRITABLE if self.recording else OVERLAP
        at = self.at
        number = self.operand(fits, 0, avoids)
        if number < 0 or self.memory[number] not in self.saved or not self.byte() & 3:
            return number
        self.at = at
        saved, memory = self.saved, self.memory
        for other in range(len(self.shapes) - 1, -1, -1):
            if memory[other] in saved or self.marks[other] & avoids:
                continue
            if fits is None or fits(self.shapes[other]):
                return other
        return number

    def partner(self, number: int) -> int:
        """Choose a variable that broadcasts against the one of this number."""
        shape = self.shapes[number]
        if self.at < self.end and self.data[self.at] >= ODD:
            return self.operand()
        return self.operand(lambda other: broadcast(shape, other) is not None)

    def source(self, number: int) -> int:
        """Choose a variable that broadcasts to the shape of the one of this number."""
        shape = self.shapes[number]
        if self.at < self.end and self.data[self.at] >= ODD:
            return self.operand()
        return self.operand(lambda other: broadcast(shape, other) == shape)

    # ---- what becomes of it ----------------------------------------------------------------------

    def made(self, shape: Shape, other: bool = False, marks: int = 0) -> None:  # noqa: FBT001, FBT002
        """Note a variable with memory of its own."""
        number = len(self.shapes)
        self.shapes.append(shape)
        self.other.append(other)
        self.marks.append(marks)
        self.base.append(number)
        self.memory.append(number)

    def result(self, shape: Shape, *operands: int) -> None:
        """Note what an operation computes."""
        tracked = 0
        other = False
        for x in operands:
            tracked |= self.marks[x]
            other = other or self.other[x]
        self.made(shape, other, tracked & TRACKED if self.recording else 0)

    def view(self, x: int, shape: Shape, marks: int = 0) -> None:
        """Note a view of a variable, with more marks of its own."""
        marks |= self.marks[x] & (TRACKED | OF_LEAF | FROZEN | OVERLAP | INFERENCE) | VIEW
        if self.marks[x] & LEAF:
            marks |= OF_LEAF
        if not self.recording:
            marks |= FROZEN
        self.made(shape, self.other[x], marks)
        self.base[-1], self.memory[-1] = self.base[x], self.memory[x]

    def alias(self, x: int) -> None:
        """Note another tensor on the memory of a variable, outside the graph."""
        self.made(self.shapes[x], self.other[x], self.marks[x] & OVERLAP)
        self.memory[-1] = self.memory[x]

    def wrote(self, x: int, *sources: int) -> None:
        """Note a write: whatever shares the base now has its history."""
        marks = self.marks
        if not self.recording or not any(marks[n] & TRACKED for n in (x, *sources)):
            return
        base = self.base[x]
        for number, each in enumerate(self.base):
            if each == base:
                marks[number] = (marks[number] | TRACKED) & ~(LEAF | OF_LEAF)

    def saves(self, *operands: int) -> None:
        """Note that a node keeps these operands, if any of them is tracked."""
        if self.recording and any(self.marks[x] & TRACKED for x in operands):
            self.saved.update(self.memory[x] for x in operands)

    def enter(self, recording: bool) -> None:  # noqa: FBT001
        """Note that a block begins."""
        self.modes.append(self.recording)
        self.recording = recording


@cache
def size(shape: Shape) -> int:
    """Return the number of entries."""
    count = 1
    for each in shape:
        count *= each
    return count


@cache
def broadcast(x: Shape, y: Shape) -> Shape | None:
    """Return the shape of two operands together, None if they do not fit."""
    ndim = max(len(x), len(y))
    made = []
    for a, b in zip((1,) * (ndim - len(x)) + x, (1,) * (ndim - len(y)) + y, strict=True):
        if a not in (1, b) and b != 1:
            return None
        made.append(b if a == 1 else a)
    return tuple(made)


def without(shape: Shape, dim: int) -> Shape:
    """Leave an axis out."""
    return tuple(n for axis, n in enumerate(shape) if axis != dim % len(shape))
