"""Points where formulas break though functions do not: far out, close to zero, at ends of domains.

A `Grid` is one call of an operation that works entry by entry, at many points at once: all of them,
or a few that are drawn. No entry knows of the others, so that the derivatives of all of them stand
in one column, and what is infinite at one point is nowhere else.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ..truth.floats import FLOATS, rounded
from ..truth.oracles.jets import Jet, allowing
from ..truth.tolerance import Total, unit_roundoff
from .arguments import WRITTEN, Arguments, Told
from .call import Call
from .domains import DOMAINS, UNEQUAL
from .drawing import Array, Draw
from .drawn import ALL, Hand
from .operation import WEIGHTS, Operation

FEW = 4
"""So many points are drawn for a call."""


@dataclass(frozen=True, eq=False)
class Grid(Call):
    """The call of an operation at points, entry by entry."""

    word: str = ""
    dtype: str = "float64"

    def __repr__(self) -> str:
        if not self.is_named:
            return super().__repr__()
        return f"{self.operation.name} at {len(self.tensors[0])} points; {self.name}"

    @property
    def is_named(self) -> bool:
        """Whether it is the call at all points."""
        return self.word.endswith(":")

    @property
    def name(self) -> str:
        """What it was read from."""
        return self.word

    def within(self, dtype: str, order: int) -> Self:
        """Ask in a `dtype`, and leave out points that it has not, or no result or derivative of.

        These are the derivatives up to `order`. Where only values are asked for, those that are
        beyond it by far stay. For second derivatives numbers are left out whose cubes it has not:
        such appear in every formula for them.
        """
        asked: Self = _within(self, dtype, order)
        return asked

    def at(self, tensors: tuple[Array, ...]) -> Self:
        """Ask at other points; an array among the options is of one number, and goes with each."""
        count, given = len(tensors[0]), self.arguments
        options = tuple(_at_each(option, count) for option in given.options)
        named = {key: _at_each(option, count) for key, option in given.named.items()}
        return replace(self, arguments=Arguments(tensors, options, named))

    def met(self) -> Sequence[Array]:
        """What else is to be numbers of the dtype, for whoever computes meets it on the way."""
        return ()

    def jets(self, order: int) -> tuple[Jet, ...]:
        """The result as jets, with derivatives up to `order`."""
        return (self._plain, self._once, self._twice)[: order + 1]

    # ---- what is true, entry by entry ------------------------------------------------------------

    @cached_property
    def _plain(self) -> Jet:
        return self._conditioned(lambda tensors: [*map(Jet.exact, tensors)])

    @cached_property
    def _once(self) -> Jet:
        return self._conditioned(lambda tensors: self._seeds(tensors, 1))

    @cached_property
    def _twice(self) -> Jet:
        return self._conditioned(lambda tensors: self._seeds(tensors, 2))

    def _conditioned(self, seeds: Callable[[Sequence[Array]], list[Jet]]) -> Jet:
        """Follow jets, and add to every error what comes of rounding the arguments.

        That is the condition of the number: no formula is better on arguments that are rounded
        once (Higham, section 1.6). It is found by moving each argument a little to either side.
        """
        made = self.followed(seeds(self.tensors))
        value, error = made.numbers
        step = unit_roundoff(self.dtype)
        for place, part in self.movable():
            moves = []
            for way in (step, -step):
                moved = [*self.tensors]
                moved[place] = moved[place] * (1 + 2 * way * part)
                with np.errstate(all="ignore"):
                    beside = self.followed(seeds(moved)).numbers[0]
                    moves.append(np.abs(beside - value) / step)
            error += np.nan_to_num(np.fmax(*moves), posinf=0.0)
        return made

    def movable(self) -> Iterator[tuple[int, Array | float]]:
        """Yield what is moved at once: the number of a tensor, and ones for entries of it."""
        yield from ((place, 1.0) for place in range(len(self.tensors)))

    def _seeds(self, tensors: Sequence[Array], sides: int) -> list[Jet]:
        """The tensors, each with a column in which every entry is differentiated by itself."""
        made = []
        for place, x in enumerate(tensors):
            numbers = np.zeros((2, sides, 1 + len(tensors), *x.shape))
            numbers[0, 0, 0] = x
            numbers[0, 0, 1 + place] = 1
            if sides == 2:
                numbers[0, 1, 0] = self.tangents[place]
            made.append(Jet(numbers))
        return made

    def followed(self, tensors: list[Jet]) -> Jet:
        """Run the formula on jets, and others only where they do not leave the numbers."""
        operation, (options, named) = self.operation, (self.arguments.options, self.arguments.named)
        with np.errstate(all="ignore"):
            made, *others = (
                formula(*tensors, *options, **named)
                for formula in (operation.forward, *operation.formulas)
            )
            for other in others:
                error = np.where(np.isfinite(other.numbers[1]), other.numbers[1], 0.0)
                np.maximum(made.numbers[1], error, out=made.numbers[1])
        result: Jet = made
        return result

    def value(self) -> Total:
        """The result."""
        return flushed(*self._plain.numbers[:, 0, 0])

    def gradients(self, cotangent: npt.ArrayLike | None = None) -> list[Total]:
        """The cotangent times the derivative, for each tensor."""
        v = self.cotangent if cotangent is None else np.asarray(cotangent)
        columns = np.moveaxis(self._once.numbers[:, 0, 1:], 1, 0)
        return [flushed(*_weighed(value, error, v)) for value, error in columns]

    def second(self) -> list[Total]:
        """The cotangent times the derivative of what the tangents make of the first ones.

        It may be made of differences of first derivatives, which are rounded, and these of a
        difference of result and argument: of its three numbers each is rounded in its size, and the
        difference once more.
        """
        scale = 4 * (1 + np.max([np.abs(x) for x in self.tensors], 0))
        first = sum(
            np.abs(self._once.numbers[0, 0, 1 + place] * tangent)
            for place, tangent in enumerate(self.tangents)
        )
        totals = []
        for place in range(len(self.tensors)):
            value, error = self._twice.numbers[:, 1, 1 + place]
            totals.append(
                flushed(*_weighed(value, error + scale * np.abs(value) + first, self.cotangent))
            )
        return totals

    def pushed(self) -> Total:
        """The derivative of the result along the tangents."""
        parts = [
            _weighed(value, error, tangent)
            for (value, error), tangent in zip(
                np.moveaxis(self._once.numbers[:, 0, 1:], 1, 0), self.tangents, strict=True
            )
        ]
        value, error = (np.sum(column, 0) for column in zip(*parts, strict=True))
        sizes = np.sum([np.abs(each) for each, _ in parts], 0)
        return flushed(value, error + len(parts) * sizes)


@lru_cache(2_000)
def _within(grid: Any, dtype: str, order: int) -> Any:
    # The points that a seed draws are the same for every claim and subject.
    most = float(np.finfo(FLOATS[dtype].crossing).max)
    asked = replace(grid, dtype=dtype)
    with np.errstate(all="ignore"):
        kept = np.all([_most(jet) < most for jet in asked.jets(order)], 0)
        if order == 0:
            kept |= (np.abs(grid.result) / LARGEST > most) & ~np.isnan(grid.result)
        exact = np.all([_exact(x, dtype) for x in (*grid.tensors, *grid.met())], 0)
        if order == 2:
            exact &= np.all([_mild(np.abs(x), most) for x in grid.tensors], 0)
    chosen = _whole(kept) & _whole(exact)
    return asked.at(tuple(fixed(x[chosen]) for x in grid.tensors))


def _whole(kept: Array) -> Array:
    """Whether all that belongs to a point is kept."""
    whole: Array = np.all(kept.reshape(len(kept), -1), axis=1)
    return whole


def _most(jet: Jet) -> Array:
    """The largest number at each point, with room for weights, its error included."""
    value, error = np.abs(jet.numbers)
    size = LARGEST * (value + unit_roundoff("float16") * error)
    most: Array = np.where(np.isnan(size), np.inf, size).max((0, 1))
    return most


def _exact(x: Array, dtype: str) -> Array:
    """Whether numbers are of a dtype, and none that may be taken for zero."""
    exact: Array = (rounded(x, dtype) == x) & ((x == 0) | (np.abs(x) >= FLOATS[dtype].normal))
    return exact


def _mild(sizes: Array, most: float) -> Array:
    mild: Array = (sizes == 0) | (sizes < most ** (1 / 3)) & (sizes > most ** (-1 / 3))
    return mild


def _weighed(value: Array, error: Array, weights: Array) -> tuple[Array, Array]:
    with np.errstate(all="ignore"):
        product = value * weights
        return product, error * np.abs(weights) + np.abs(product)


def flushed(value: Array, error: Array) -> Total:
    """What to compare with, where the smallest numbers may be lost; infinity is exact."""
    error = np.where(np.isfinite(value), error, 0.0)
    return replace(allowing(value, error), flushed=True)


@dataclass(frozen=True)
class Points:
    """Calls at points of one kind, of the operation that is named when a claim runs."""

    size: ClassVar[int] = WEIGHTS + 1 + 2 * FEW
    hundreds: ClassVar[bool] = True

    kind: str

    def read(self, operation: Operation, codes: bytes) -> Grid:
        """Read a few points, and weights."""
        return _few(self, operation, codes)

    def every(self, operation: Operation) -> Grid:
        """Return the call at all points."""
        return grid_of(operation, self.kind)

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[Grid]:  # noqa: ARG002
        """All points at once."""
        return [self.every(operation)]

    def named(self, operation: Operation, word: str | Told) -> Grid:
        """Return the call named `word`, or told. Raises ValueError if there is none."""
        if isinstance(word, Told):
            return self._told(self.every(operation), word)
        kind, _, codes = word.partition(":")
        if kind != self.kind:
            raise ValueError(f"{operation.name} has no points called {word!r}")
        return self.read(operation, bytes.fromhex(codes)) if codes else self.every(operation)

    def _told(self, every: Grid, told: Told) -> Grid:
        given, name = told.arguments, every.operation.name
        met = [(x.dtype, x.shape[1:], x.ndim) for x in every.tensors]
        if [(x.dtype, x.shape[1:], x.ndim) for x in given.tensors] != met:
            rows = met[0][:2]
            raise ValueError(f"{name} is asked at points in {len(met)} tensors of rows {rows}")
        if len({len(x) for x in given.tensors}) > 1:
            raise ValueError(f"{name} is asked at as many points in each tensor")
        if told.numbers > WRITTEN:
            raise ValueError(f"a call that is written down has no more than {WRITTEN} numbers")
        grid = every.at(tuple(map(fixed, given.tensors)))
        if repr(replace(given, tensors=())) != repr(replace(grid.arguments, tensors=())):
            raise ValueError(f"{name} is asked at points with other options")
        return replace(grid, weights=told.weights, which=told.which, word="")


@lru_cache(2_000)
def _few(pool: Points, operation: Operation, codes: bytes) -> Grid:
    """Read a call at a few points off bytes."""
    draw = Draw(codes)
    every = pool.every(operation)
    weights = every.weights[draw.bytes(WEIGHTS) % WEIGHTS]
    high, low = draw.bytes(2 * FEW).reshape(2, FEW).astype(int)
    chosen = (256 * high + low) % len(every.tensors[0])
    tensors = tuple(fixed(x[chosen]) for x in every.tensors)
    return replace(every.at(tensors), weights=weights, word=f"{pool.kind}:{codes.hex()}")


@dataclass(frozen=True)
class Wide(Points):
    """Calls at numbers from the whole range of every dtype, whatever the operation is there."""

    size: ClassVar[int] = 4 * FEW

    def read(self, operation: Operation, codes: bytes) -> Grid:
        """Read a few of them, and of as many for each tensor."""
        every = self.every(operation)
        places = Draw(codes).bytes(4 * FEW).reshape(4, FEW).astype(int)
        chosen = [fixed(WIDE[row % len(WIDE)]) for row in places[: len(every.tensors)]]
        return replace(every.at(tuple(chosen)), word=f"{self.kind}:{codes.hex()}")

    def every(self, operation: Operation) -> Grid:
        """Return the call at pairs of them of which quotients, or powers, leave some dtype."""
        simplest = _simplest(operation)
        grid = Grid(operation, simplest, NUMBERS, word=f"{self.kind}:")
        rows = np.array(WIDE_APART)[:, : len(simplest.tensors)]
        return grid.at(tuple(map(fixed, rows.T)))


NUMBERS = np.array([1.0, -2.0, 3.0, 0.5, -1.5, 2.0, -1.0, 0.25, -3.0, 1.25, -0.5, 1.75, -0.75, 4.0,
                    -1.25, 0.75, -4.0])  # fmt: skip
"""Weights of both signs: WEIGHTS of them."""

LARGEST = 4.0
"""The largest of them."""

ENDS = [float(np.finfo(name).max) for name in ("float16", "float32", "float64")]
"""The largest numbers of three dtypes; that of bfloat16 is less, and rounds to the second."""

SIZES = (
    *ENDS, *(end / 3 for end in ENDS), 1e-4, 2.0**-14, 2.0**-126, 2.0**-1022, 2.0**-24, 0.5, 0.75,
    1.0, 3.0, 7.0, 11.75, 89.0, 560.0, 710.0, 2158.0, 2.0**24 + 2, 1e20,
)  # fmt: skip
"""Numbers of all sizes: the largest and the smallest, whole ones, those whose exponentials are."""

WIDE = np.array([sign * size for size in SIZES for sign in (1.0, -1.0)])
"""The same of both signs."""

WIDE_APART = (
    (ENDS[0], 0.5, 3.0), (ENDS[1], 0.5, 3.0), (ENDS[2], 0.5, 3.0), (-ENDS[0], 0.75, 1.0),
    (-ENDS[1], 0.75, 1.0), (-ENDS[2], 0.75, 1.0), (7.0, 2.0**-14, 3.0), (7.0, 2.0**-126, 3.0),
    (7.0, 2.0**-1022, 3.0), (ENDS[0], ENDS[0], 0.5), (ENDS[0], -ENDS[0], 0.5),
    (560.0, 3.0, -3.0), (2158.0, 3.0, 7.0), (89.0, -3.0, 0.5), (-710.0, 7.0, 3.0),
    (11.75, 89.0, 1.0), (1e20, 3.0, 0.75), (-7.0, 0.5, 560.0),
)  # fmt: skip
"""Numbers of one, two or three tensors that are met first."""


@cache
def grid_of(operation: Operation, kind: str) -> Grid:
    """Return the call of an operation at all its points of a kind.

    Those that are `far` are so in all tensors, in the first or in all others. Where three tensors
    are combined the points of the third go round with those of the others.
    Entries that tie are left out where the operation has a kink.
    """
    kinked = bool(operation.kinks)
    far, close = (
        [domain.points(each, kinked=kinked) for domain in DOMAINS[operation.name]]
        for each in ("far", "close")
    )
    if kind == "close":
        rows = [*_combined(close)]
    else:
        mixed = [[far[0], *close[1:]], [close[0], *far[1:]]] if len(far) > 1 else []
        rows = [row for axes in [far, *mixed] for row in _combined(axes)]
    if kinked or (kind == "far" and operation.name in UNEQUAL):
        rows = [row for row in rows if len(set(row)) == len(row)]
    tensors = tuple(fixed(np.array(column)) for column in zip(*rows, strict=True))
    return Grid(operation, _simplest(operation), NUMBERS, word=f"{kind}:").at(tensors)


def _simplest(operation: Operation) -> Arguments:
    """Draw what is simplest, of which nothing is reduced."""
    simplest = operation.draw(Draw(b""))
    if "reduction" in simplest.named:
        simplest = replace(simplest, named={**simplest.named, "reduction": "none"})
    return simplest


def _at_each(option: Any, count: int) -> Any:
    """Let an array that the simplest call has, all of one number, have it for each point."""
    return np.full(count, option.flat[0]) if isinstance(option, np.ndarray) else option


def _combined(axes: Sequence[Array]) -> Iterator[tuple[float, ...]]:
    """Combine every point of two axes, and with them points of others in turn."""
    for places in product(*(range(len(axis)) for axis in axes[:2])):
        others = (axis[sum(places) % len(axis)] for axis in axes[2:])
        yield (*(float(axis[p]) for axis, p in zip(axes, places, strict=False)), *others)


def fixed(x: Array) -> Array:
    """Forbid writing to an array that calls share."""
    x.flags.writeable = False
    return x


def followed(total: Total, found: Array) -> Total:
    """Let the last entry or row of what was found follow what is true of those before it."""
    last = found[-1:].astype(np.float64)
    error_bound = np.broadcast_to(total.error_bound, total.value.shape)
    return replace(
        total,
        value=np.append(total.value, last, 0),
        magnitude=np.append(total.magnitude, np.zeros_like(last), 0),
        error_bound=np.append(error_bound, np.zeros_like(last), 0),
    )


def points(kind: str) -> Points:
    """Draw points of the operation at hand: `far` ones, or `close` ones, to zero and to ends."""
    return Points(kind)


def wide() -> Wide:
    """Draw numbers from the whole range of every dtype, for the operation at hand."""
    return Wide("wide")
