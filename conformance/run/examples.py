"""Which examples a claim meets: corners, calls of a design, and how many are drawn at random."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import hypothesis
from hypothesis import Verbosity
from hypothesis.strategies import SearchStrategy, binary

from ..table.drawing import MANY, SOLVED
from ..table.drawn import FromBytes, Hand
from .question import Question

Strategies = Mapping[str, SearchStrategy[Any]]

SHARE = 7
"""A claim over many operations draws this part of the examples for each, besides its corners."""

DESIGNED = 3
"""So many times as many are met of a design, where a claim asks for it; not by slow libraries."""

DEALT = 4
"""Slow libraries meet so many of a design with each dtype, in other claims other ones."""

PARTS = 5
"""So many parts of a design are dealt out to claims by the last digits of their ids."""

COMPILED = frozenset({"scan", "associative_scan", "branches", "loops"})
"""Capabilities that are for compilers: whoever has them compiles nearly every example."""

COMPILING = 4
"""A claim that needs one of these draws this part of its examples, whatever the library is."""


def settings_of(asked: Question) -> hypothesis.settings:
    """Return how many examples are drawn, and how."""
    divisor = asked.subject.example_divisor
    if not COMPILED.isdisjoint(asked.claim.needs):
        divisor = max(divisor, COMPILING)
    return _share(asked.settings, divisor * (SHARE if asked.operation else 1))


@cache
def _share(settings: hypothesis.settings, parts: int) -> hypothesis.settings:
    """Return `settings` with one part of the examples, out of so many."""
    return hypothesis.settings(settings, max_examples=max(1, settings.max_examples // parts))


def search_of(asked: Question, case: Callable[..., None]) -> Callable[[], None]:
    """Return the search of Hypothesis for values at which `case` fails, turn after turn."""
    turns, settings = _turns(asked), settings_of(asked)
    if len(turns) > 1:
        # Each draws its share, besides the least of all examples, which is always met first.
        number = 1 + math.ceil(settings.max_examples / len(turns))
        settings = hypothesis.settings(settings, max_examples=number)
    first, *others = (_search(asked, case, settings, *place) for place in enumerate(turns))
    if not others:
        return first

    def search() -> None:
        __tracebackhide__ = True
        for each in (first, *others):
            each()

    return search


def _turns(asked: Question) -> list[Strategies]:
    """Return what has a turn: each value of `every`; all at once where it is drawn as well."""
    claim, drawn = asked.claim, settings_of(asked).max_examples
    dear = drawn < asked.settings.max_examples or asked.subject.running_mode is not None
    if claim.drawn and dear:
        return [{}]
    return [{name: value} for name, values in claim.turns.items() for value in values] or [{}]


def _search(
    asked: Question, case: Any, settings: hypothesis.settings, place: int, turn: Strategies
) -> Callable[[], None]:
    case = hypothesis.given(**{**asked.claim.strategies(asked.operation), **turn})(case)
    for values in reversed(asked.claim.examples if place == 0 else ()):
        case = hypothesis.example(**values)(case)
    case = settings(hypothesis.seed(asked.seed + place)(case))
    # Else examples are kept by the text of a test, which is the same for all claims, and not at
    # all if a seed is given.
    name = f"{asked.claim.id} {asked.subject.id} {asked.operation and asked.operation.name}"
    case._hypothesis_internal_database_key = f"{name} {place}".encode()  # noqa: SLF001
    bound: Callable[[], None] = case
    return bound


def hand_of(asked: Question) -> Hand:
    """Deal designs out to dtypes, others from claim to claim; and to slow libraries corners too."""
    backend, dtype = asked.subject.backend, asked.subject.dtype
    # Nobody shares with the widest where a claim is judged in it alone.
    alone = asked.claim.widest or dtype not in backend.dtypes
    dtypes = (dtype,) if alone else backend.dtypes
    sharers, slow = len(dtypes), asked.subject.example_divisor > 1
    digit, mode = ord(asked.claim.id[-1]) - ord("0"), asked.subject.running_mode
    first = (digit + dtypes.index(dtype)) % sharers
    number = settings_of(asked).max_examples * (1 if slow else DESIGNED)
    turned = 0
    # Not in a mode, for which calls are compiled.
    if slow and mode is None:
        number, turned = DEALT, DEALT * sharers * ((digit + 1) % PARTS)
    unrolled = asked.operation is not None and asked.operation.name in backend.unrolled
    most = SOLVED if unrolled else MANY
    # What many terms may cost in 16 bits means nothing, but where a claim is about just that.
    short = dtype in backend.small_dtypes and not asked.claim.of_many
    few = short or (mode is not None and not mode.of_many)
    return Hand(
        corners=slice(first, None, sharers) if slow else slice(None),
        designed=slice(first, number * sharers, sharers),
        turned=turned,
        most=0 if few else most,
    )


def ahead_of(asked: Question) -> Iterator[Mapping[str, Any]] | None:
    """Return what Hypothesis would draw; None where it is to be asked itself."""
    settings = settings_of(asked)
    if asked.operation is None or asked.replays or not _is_silent(settings):
        return None
    match [*asked.claim.drawn.items()]:
        case [(name, FromBytes() as each)]:
            drawn = _bytes_drawn(each.size, asked.seed, settings)
            return ({name: each.read(asked.operation, codes)} for codes in drawn)
    return None


def _is_silent(settings: hypothesis.settings) -> bool:
    """Whether Hypothesis keeps, times and says nothing of examples that pass."""
    return (
        settings.database is None
        and settings.deadline is None
        and settings.verbosity <= Verbosity.normal
    )


@cache
def _bytes_drawn(size: int, seed: int, settings: hypothesis.settings) -> tuple[bytes, ...]:
    """Return the bytes that every claim meets which draws so many of them, by a seed."""
    drawn = []

    @hypothesis.seed(seed)
    @settings
    @hypothesis.given(binary(min_size=size, max_size=size))
    def note(codes: bytes) -> None:
        drawn.append(codes)

    note()
    return tuple(drawn)
