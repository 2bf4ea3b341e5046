"""What claims say of drawn programs: that a library and the reference make the same of them."""

from collections.abc import Callable
from functools import cache

from ..protocol.backend import Backend
from ..protocol.errors import Refused
from ..protocol.mode import Mode
from ..protocol.subject import Subject
from .comparing import Comparison
from .functional import Functions
from .judging import Difference
from .kinds import every_kind
from .language import Program, lines_of
from .naming import key_of, sort_of
from .scripts import shown
from .shrinking import shrink, spelt_out

COUNT, FUNCTIONS = 4, 3
"""How many programs an example of a claim runs, statement by statement and as functions."""

TRIES = 400
"""How many programs are tried to shrink one, of each kind of difference."""


def agree(be: Subject, number: int, families: str) -> None:
    """Run programs of some families, and expect the same of both. Raises AssertionError."""
    comparison = _comparison(be.backend, be.dtype, be.device, families)
    for place in range(COUNT):
        program = comparison.drawn(number, place)
        _count(be, program)
        _expect_the_same(comparison, program)


def agree_as_functions(be: Subject, number: int, asked: str, about: str = "vjp") -> None:
    """Run programs as functions of their leaves, and expect the same of both.

    Raises AssertionError.
    """
    functions = _functions(be.backend, be.dtype, be.device, asked, be.running_mode)
    for place in range(max(1, FUNCTIONS // be.example_divisor)):
        be.calls[about] += 1
        _expect_the_same(functions, functions.drawn(number, place))


def _expect_the_same(comparison: Comparison, program: Program) -> None:
    found = comparison.difference(program)
    if found is not None:
        smallest, found = _smallest(comparison.difference, program, found)
        if not comparison.covers(key_of(smallest, found)):
            refused = found.expected is None and sort_of(found).startswith("refused")
            raise (Refused if refused else AssertionError)(_told(smallest, found))


def _count(be: Subject, program: Program) -> None:
    """Count what the programs ask for, as calls of a claim's own are."""
    for statement in program:
        be.calls[statement.kind] += 1
        be.calls.update(every_kind()[statement.kind].needs)


def _smallest(
    difference: Callable[[Program], Difference | None], program: Program, found: Difference
) -> tuple[Program, Difference]:
    """Shrink a program, and return what it shows then."""
    sort = sort_of(found)

    def shows(candidate: Program) -> bool:
        other = difference(candidate)
        return other is not None and sort_of(other) == sort

    def shows_before_its_end(candidate: Program) -> bool:
        other = difference(candidate)
        return other is not None and sort_of(other) == sort and other.at < len(candidate)

    small = shrink(program, shows, TRIES)
    spelt = spelt_out(small, shows_before_its_end)
    if spelt != small:
        small = shrink(spelt, shows_before_its_end, TRIES)
    return small, difference(small) or found


def _told(program: Program, found: Difference) -> str:
    """Tell of a failure: what differs, and the program that shows it."""
    lines = "\n    ".join(lines_of(program))
    return (
        f"{sort_of(found)}: got {shown(found.got)}, expected {shown(found.expected)}\n    {lines}"
    )


@cache
def _comparison(backend: Backend, dtype: str, device: str, families: str) -> Comparison:
    return Comparison(backend, dtype, device, families.split())


@cache
def _functions(
    backend: Backend, dtype: str, device: str, asked: str, mode: Mode | None
) -> Functions:
    return Functions(backend, dtype, device, asked, mode)
