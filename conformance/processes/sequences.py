"""The shortest sequence that makes something fail, found by halving what came before it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Found(NamedTuple, Generic[T]):
    """After which of the things before it something fails; None if after none and not after all.

    If the search was not `finished`, fewer may do, or may make it fail in the first place.
    """

    sequence: list[T] | None
    finished: bool


def shortest(
    before: Sequence[T], suspects: Sequence[T], fails: Callable[[Sequence[T]], bool]
) -> Found[T]:
    """Look for few of the things `before`, in their order, after which something fails.

    `fails` says whether it does after some of them, as it does not after none; it raises
    TimeoutError when the search is to end. The `suspects` among them are tried first.
    """
    found: list[T] | None = None
    try:
        found = next(([*part] for part in _parts(before, suspects) if fails(part)), None)
        needed: list[T] = []
        rest = found or []
        while rest and not (needed and fails(needed)):
            # It fails after those needed and the rest from `first` on, not after those from `last`.
            first, last = 0, len(rest)
            while last - first > 1:
                middle = (first + last) // 2
                if fails([*needed, *rest[middle:]]):
                    first = middle
                else:
                    last = middle
            found = [*needed, *rest[first:]]
            needed, rest = [*needed, rest[first]], rest[first + 1 :]
    except TimeoutError:
        return Found(found, finished=False)
    return Found(needed or None, finished=True)


def _parts(before: Sequence[T], suspects: Sequence[T]) -> Iterator[Sequence[T]]:
    """Return the suspects, then the last one, the last two, the last four, ... and all."""
    if suspects:
        yield suspects
    size = 1
    while size < len(before):
        yield before[-size:]
        size *= 2
    if before:
        yield before
