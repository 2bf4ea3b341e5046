"""What claims over many operations draw: for each operation, calls of its own.

Before any call is drawn at random some are made that every run meets: a call in each corner, and
those of a design.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable
from warnings import catch_warnings

import numpy as np

from .arguments import Told
from .call import Call
from .design import design
from .domains import DOMAINS
from .drawing import (
    ALIKE,
    ALONE,
    CROWDED,
    DEEP,
    FORMER,
    HOLLOW,
    IMAGES,
    IN_A_ROW,
    INT32,
    KINDS,
    MANY,
    SHARES,
    SOLVED,
    STRIDES,
    TOLD,
    VASTNESS,
    Corner,
)
from .images import UNBATCHED
from .operation import CODES, WEIGHTS, Operation


class Hand(NamedTuple):
    """Which of the calls that are made beforehand are met here, and not with another dtype."""

    corners: slice = slice(None)
    designed: slice = slice(0)
    turned: int = 0
    """So many calls of a design come after the others, as far as it has any."""
    most: int = MANY
    """Entries of a call with many; 0 for no such call: its values lie too close for 16 bits."""


ALL = Hand()
"""All corners, and no more."""


class PerOperation(Protocol):
    """What a claim over many operations draws: for each of them, something of its own."""

    def corners(self, operation: Operation, hand: Hand = ALL) -> Sequence[Any]:
        """Return what is checked before anything is drawn, as far as it is in the `hand`."""

    def named(self, operation: Operation, word: str | Told) -> Any:
        """Return what is called `word`, or told. Raises ValueError if nothing is."""


@runtime_checkable
class FromBytes(PerOperation, Protocol):
    """What is drawn at random besides its corners: it is read off bytes, so many as its `size`."""

    size: ClassVar[int]

    def read(self, operation: Operation, codes: bytes) -> Any:
        """Read what is drawn for `operation`."""


@dataclass(frozen=True)
class Calls:
    """Calls of an operation that is named when a claim runs; see `Operation.read`."""

    size: ClassVar[int] = CODES + WEIGHTS

    smooth: bool = False
    strided: bool = False
    designed: bool = False
    small: bool = False
    alike: bool = False
    times: int = 1
    whole: bool = False

    def read(self, operation: Operation, codes: bytes, corner: Corner | None = None) -> Call:
        """Read a call of `operation`, in a corner or anywhere."""
        return _read(operation, codes, self.smooth, self.strided, corner)

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[Call]:
        """Return a call in each kind of shape, or of layout in memory, and those of the design."""
        most = 0 if self.small else hand.most
        kinds = (ALIKE, *KINDS) if self.alike else KINDS
        corners = [*enumerate(STRIDES if self.strided else kinds)]
        met = [(n, corner.at_most(most)) for n, corner in corners if most or not corner.many]
        made = [self.read(operation, fixed(n), corner) for n, corner in met[hand.corners]]
        if self.designed:
            chosen = design(operation, apart=self.smooth and bool(operation.kinks))
            at = hand.turned % max(1, len(chosen))
            chosen = chosen[at:] + chosen[:at]
            dealt = hand.designed
            stop = None if self.whole or dealt.stop is None else dealt.stop * self.times
            dealt = slice(dealt.start, stop, dealt.step)
            made += [self.read(operation, codes) for codes in chosen[dealt]]
        return made

    def named(self, operation: Operation, word: str | Told) -> Call:
        """Return the call that is told, or read from `word`. Raises ValueError if there is none."""
        if isinstance(word, Told):
            return operation.told(word)
        corner, _, codes = word.rpartition(":")
        pictures = (replace(corner, nth=nth) for corner in IMAGES for nth in range(3))
        known = (ALIKE, DEEP, *KINDS, *STRIDES, *CROWDED, *VASTNESS, *HOLLOW, *pictures)
        known += (*SHARES, IN_A_ROW, *TOLD, *INT32, *FORMER)
        corners = {str(each): each for each in (*known, *(each.at_most(SOLVED) for each in known))}
        if corner and corner not in corners:
            raise ValueError(f"no corner is called {corner!r}")
        return self.read(operation, bytes.fromhex(codes), corners.get(corner))


@dataclass(frozen=True)
class Selected:
    """Calls that are made beforehand in certain corners, and no others."""

    calls: Calls
    made: Callable[[Operation, Calls, Hand], list[Call]]
    many: bool = False
    """Whether all of them have thousands of entries."""

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[Call]:
        """Return those that mean something."""
        return self.made(operation, self.calls, hand)

    def named(self, operation: Operation, word: str | Told) -> Call:
        """Return the call that is told, or read from `word`. Raises ValueError if there is none."""
        return self.calls.named(operation, word)


MEANINGLESS = (LookupError, ValueError, TypeError, ZeroDivisionError)
"""What numpy raises where an index has nothing to name, or a window nothing to lie on."""


def _filled(operation: Operation, read: Calls, hand: Hand) -> list[Call]:
    every = read.corners(operation, hand)
    return [call for call in every if str(call.corner).startswith(("wide", "long"))]


@cache
def _meaningful(operation: Operation, read: Calls, corners: Sequence[Corner]) -> list[Call]:
    made: list[Call] = []
    for n, corner in enumerate(corners):
        with catch_warnings(action="ignore"), suppress(*MEANINGLESS):
            call = read.read(operation, fixed(n), corner)
            call.true(*call.tensors)
            made.append(call)
    return made


def _crowded(operation: Operation, read: Calls, _: Hand) -> list[Call]:
    return _meaningful(operation, read, CROWDED)


def entries(call: Call) -> int:
    """Count the entries of all tensors, or a quarter of those of the result if that is more."""
    return max(sum(x.size for x in call.tensors), call.result.size // 4)


TRIED = 12
"""Calls among which the one is met that is told the most different things."""


@cache
def _telling(operation: Operation, read: Calls, corners: Sequence[Corner]) -> list[Call]:
    def different(call: Call) -> int:
        return sum(len(np.unique(x)) for x in call.arguments.constants)

    made = []
    for corner in corners:
        every = _meaningful(operation, read, (corner,) * TRIED)
        # Where a column of a mask or of weights is repeated, a value need not be there any more.
        with np.errstate(all="ignore"):
            found = [call for call in every if np.isfinite(call.result).all()]
        made += [max(found, key=different)] if found else []
    return made


SQUARING = "diag mode"
"""Operations that take as many numbers as the square of a row of entries has, here or there."""

FEWEST = 2**15
"""Entries that PyTorch divides among threads, at the least."""


def _vast(operation: Operation, read: Calls, hand: Hand) -> list[Call]:
    return _many(operation, read, hand, MANY, tuple(c for c in VASTNESS if c.kind not in ALONE))


def _vast_alone(operation: Operation, read: Calls, hand: Hand) -> list[Call]:
    # What works entry by entry has no axis of its own.
    if operation.name in DOMAINS or operation.broadcasts:
        return _vast(operation, read, hand)
    return _many(operation, read, hand, MANY, VASTNESS)


def _shared(operation: Operation, read: Calls, hand: Hand) -> list[Call]:
    # What works entry by entry has no axis of its own, and of one row some make a square.
    by_entry = operation.name in DOMAINS or operation.broadcasts
    row = () if by_entry or operation.name in SQUARING.split() else (IN_A_ROW,)
    return _many(operation, read, hand, FEWEST, (*SHARES, *row))


def _many(
    operation: Operation, read: Calls, hand: Hand, least: int, corners: Sequence[Corner]
) -> list[Call]:
    most = corners[0].most
    if hand.most < MANY:
        # Where a library unrolls an operation there are few, and no least number of them.
        least, most = 0, hand.most
        corners = tuple(corner.at_most(most) for corner in corners)
    made = _meaningful(operation, read, tuple(corners))
    return [call for call in made if least < entries(call) <= 3 * most]


@cache
def _hollow(operation: Operation, read: Calls) -> list[Call]:
    made: dict[Any, Call] = {}
    for n, corner in enumerate(8 * HOLLOW):
        # Of an axis of nothing something may be left, as of a product of nothing: it is sought.
        sought = n >= len(HOLLOW)
        if sought and any(full for full, *_ in made):
            break
        with catch_warnings(action="ignore"), suppress(*MEANINGLESS):
            call = read.read(operation, fixed(n), corner)
            if any(x.size == 0 and x.ndim > 1 for x in call.tensors) and call.gradients():
                full = np.size(call.cotangent) > 0
                if full or not sought:
                    made.setdefault((full, *(x.shape for x in call.tensors)), call)
    return [*made.values()]


def _pictured(operation: Operation, read: Calls, hand: Hand) -> list[Call]:
    # Of images that are repeated few values lie apart from the kinks.
    apart = read.smooth and bool(operation.kinks)
    return _several(operation, read, (0, 1, 2) if hand.most or not apart else (1, 2, 0))


@cache
def _several(operation: Operation, read: Calls, ways: Sequence[int]) -> list[Call]:
    made: dict[Corner, Call] = {}
    for corner in IMAGES:
        for nth in ways:
            with catch_warnings(action="ignore"), suppress(*MEANINGLESS):
                call = read.read(operation, fixed(len(made)), replace(corner, nth=nth))
                shape = call.tensors[0].shape
                meant = len(shape) > UNBATCHED and (shape[0] == 1) == (corner.kind == "single")
                if meant and call.gradients():
                    made.setdefault(corner, call)
    return [*made.values()]


@lru_cache(4_000)
def _read(
    operation: Operation,
    codes: bytes,
    smooth: bool,  # noqa: FBT001
    strided: bool,  # noqa: FBT001
    corner: Corner | None,
) -> Call:
    # One seed draws the same calls for every claim and subject: what is true of them is found once.
    call = operation.read(codes, smooth=smooth, strided=strided, corner=corner)
    for x in call.tensors:
        x.flags.writeable = False
    return call


@cache
def fixed(n: int) -> bytes:
    """Return bytes without any order in them, the same ones for ever."""
    return np.random.default_rng(n).bytes(CODES + WEIGHTS)


def calls(
    *,
    smooth: bool = False,
    strided: bool = False,
    designed: bool = False,
    small: bool = False,
    alike: bool = False,
    times: int = 1,
    whole: bool = False,
) -> Calls:
    """Draw calls of the operation at hand: far from its kinks, or in any layout in memory.

    Those that are `designed` are met before them, if asked for: see `design`. `small` ones have few
    entries, where time grows with a power of them. With `alike`, some have tensors of one shape. Of
    a design so many `times` as many calls are met, of a `whole` one all, by slow libraries too.
    """
    return Calls(smooth, strided, designed, small, alike, times, whole)


def filled() -> Selected:
    """Call the operation at hand, far from its kinks, with several entries and with many."""
    return Selected(Calls(smooth=True), _filled)


def crowded() -> Selected:
    """Call the operation at hand, far from its kinks, with four axes and with five."""
    return Selected(Calls(smooth=True, strided=True), _crowded)


def told() -> Selected:
    """Call the operation at hand with indices, masks or weights that lie in memory in any way."""
    return Selected(Calls(smooth=True), lambda operation, read, _: _telling(operation, read, TOLD))


def told_in_32_bits() -> Selected:
    """Call the operation at hand with indices of 32 bits."""
    return Selected(Calls(smooth=True), lambda operation, read, _: _telling(operation, read, INT32))


def vast(*, alone: bool = False) -> Selected:
    """Call the operation at hand, far from its kinks, with thousands of entries.

    With `alone` also with so many along its only axis, and along the second of three.
    """
    made = _vast_alone if alone else _vast
    return Selected(Calls(smooth=True, strided=True), made, many=True)


def shared() -> Selected:
    """Call the operation at hand, far from its kinks, with entries that threads may share."""
    return Selected(Calls(smooth=True), _shared, many=True)


def pictured() -> Selected:
    """Call the operation at hand, far from its kinks, with several images of several channels."""
    return Selected(Calls(smooth=True, strided=True), _pictured)


def hollow() -> Selected:
    """Call the operation at hand with an axis that has no entries beside others."""
    return Selected(Calls(smooth=True), lambda operation, read, _: _hollow(operation, read))
