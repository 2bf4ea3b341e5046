"""Claims: laws with an id, written as tests.

    @claim("ACC-01", about="backward")
    @given(x=arrays(), times=integers(1, 4))
    def test_backward_adds(be, x, times):
        "Each backward pass adds its gradient to a leaf's .grad."

The docstring is the law. `given` and `example` only note what is to be drawn: the runner hands them
to Hypothesis together with the seed and the profile of the run. Where an argument is one of few
values, `every` notes them: each has its turn in every run, and others are drawn beside it.

A claim may hold `over` many operations of the table: then it is run, and judged, for each of them.
"""

import inspect
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, partial, wraps
from pathlib import Path
from typing import Any, TypeVar

from hypothesis.strategies import SearchStrategy, binary, just, one_of

from ..protocol.backend import DEVICES, Backend
from ..protocol.capabilities import Capability
from ..protocol.operations import OPERATIONS
from ..table.arguments import Told
from ..table.drawn import FromBytes, Hand, PerOperation
from ..table.operation import Operation

Test = Callable[..., None]
T = TypeVar("T", bound=Test)

WORDS = frozenset(Capability) | frozenset(OPERATIONS)
"""What a claim may need."""

SOURCES = "sources.toml"
"""The file beside a chapter that says where its claims come from."""

ONE_SUBJECT, ONE_OPERATION = (
    inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
    )
    for names in (["be"], ["be", "operation"])
)


class Level(StrEnum):
    """Whom a claim binds."""

    LAW = "law"
    """Follows from calculus or from what the capability means: binds whoever declares it."""

    CONTRACT = "contract"
    """PyTorch's documented behaviour: another library may declare that it does otherwise."""

    CONVENTION = "convention"
    """A choice at a point where mathematics leaves one."""


class State(StrEnum):
    """Where a claim stands. One that is not active is run only if `--claim` names it."""

    PROPOSED = "proposed"
    """It is tried out, and asks nothing of anybody yet."""

    ACTIVE = "active"

    DISPUTED = "disputed"
    """Its truth is being argued about; it asks nothing until that is settled."""

    DEPRECATED = "deprecated"
    """It was given up. It keeps its id, which no other claim will ever have."""


FIRST = "2026.12"
"""The first edition."""


@dataclass(frozen=True)
class Source:
    """A statement of the study notes that a claim settles.

    `notes` are places (note:line or note:line-line); `errs` says what the statement gets wrong, if
    anything.
    """

    row: str
    notes: str
    verdict: str
    errs: str = ""


@dataclass(frozen=True)
class Claim:
    """One law, with what is known about it before any run.

    `edition` is the one in which it entered, or last changed.
    """

    id: str
    law: str
    chapter: str
    level: Level
    about: tuple[str, ...]
    needs: tuple[str, ...]
    device: str | None
    sources: tuple[Source, ...]
    test: Test
    over: tuple[Operation, ...] = ()
    state: State = State.ACTIVE
    edition: str = FIRST
    widest: bool = False
    modes: bool = False
    apart: bool = False
    many: bool = False
    small: bool = False

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The ids by which the claim is known: its own, then those of merged statements."""
        return tuple(source.row for source in self.sources)

    @cached_property
    def judged_for(self) -> frozenset[str | None]:
        """The names of the operations over which it runs; None alone if it runs once."""
        return frozenset(operation.name for operation in self.over) or frozenset({None})

    @property
    def path(self) -> Path:
        """The file of its chapter."""
        return Path(inspect.getfile(self.test))

    @property
    def neighbours(self) -> frozenset[str]:
        """Every id of the sources that its chapter settles a part of."""
        return frozenset(read_sources(self.path.with_name(SOURCES)))

    @property
    def arguments(self) -> frozenset[str]:
        """The names of what an example has to give."""
        return frozenset(inspect.signature(self.test).parameters) - {"be"}

    @property
    def drawn(self) -> Mapping[str, Any]:
        """What is drawn for each argument: a strategy, or something of each operation's own."""
        return getattr(self.test, "drawn", {})

    @property
    def of_many(self) -> bool:
        """Whether it asks for thousands of entries alone."""
        return self.many or any(getattr(each, "many", False) for each in self.drawn.values())

    @property
    def of_hundreds_twice(self) -> bool:
        """Whether it asks for second derivatives at hundreds of points at once."""
        hundreds = any(getattr(each, "hundreds", False) for each in self.drawn.values())
        return hundreds and "create_graph" in self.needs

    def strategies(self, operation: Operation | None = None) -> Mapping[str, SearchStrategy[Any]]:
        """Return how arguments are drawn; nothing for worked examples, or corners alone."""
        if operation is None:
            turns = {name: one_of(values) for name, values in self.turns.items()}
            return {**turns, **self.drawn}
        return {
            name: binary(min_size=each.size, max_size=each.size).map(partial(each.read, operation))
            for name, each in self.drawn.items()
            if isinstance(each, FromBytes)
        }

    @property
    def examples(self) -> tuple[Mapping[str, Any], ...]:
        """The worked examples checked before anything is drawn, first one first."""
        return getattr(self.test, "worked", ())

    @property
    def turns(self) -> Mapping[str, tuple[SearchStrategy[Any], ...]]:
        """The one argument of which every value is checked in every run, if there is one."""
        return getattr(self.test, "turns", {})

    def corners(self, operation: Operation, hand: Hand) -> list[Mapping[str, Any]]:
        """Return the calls of `operation` in this `hand` that are checked before any is drawn."""
        columns = [each.corners(operation, hand) for each in self.drawn.values()]
        return [dict(zip(self.drawn, row, strict=True)) for row in zip(*columns, strict=True)]

    def read(self, witness: Mapping[str, Any], operation: Operation | None) -> Mapping[str, Any]:
        """Return the values of a witness; raises ValueError for what is no call of the operation.

        Calls are told as what they are, or by names.
        """
        if operation is None:
            if any(isinstance(value, Told) for value in witness.values()):
                raise ValueError("there is a call, and no operation of which it could be")
            return witness
        if not all(isinstance(value, str | Told) for value in witness.values()):
            raise ValueError("a call is { tensors = [...] }, or the name of one")
        return {name: self.drawn[name].named(operation, word) for name, word in witness.items()}

    @property
    def program(self) -> str:
        """The source of the claim, from its `def` line on."""
        return _program(self.test)


@cache
def _program(test: Test) -> str:
    # One claim may be run a thousand times, and reading a source takes milliseconds.
    try:
        source = inspect.getsource(test)
    except OSError:
        source = ""
    # The file may have been written over since it was imported.
    start = source.find("def ")
    return source[start:].rstrip() if start >= 0 else "(not there: its file is another one by now)"


def claim(
    *rows: str,
    about: str = "",
    needs: str = "",
    level: str = "law",
    device: str | None = None,
    over: Iterable[Operation] = (),
    state: str = "active",
    edition: str = FIRST,
    widest: bool = False,
    modes: bool = False,
    apart: bool = False,
    many: bool = False,
    small: bool = False,
) -> Callable[[Test], Callable[..., None]]:
    """Make a test a claim.

    `rows` are ids of `sources.toml` beside the test, the first being the id of the claim. `about`
    names the operations it speaks of: a run that never calls one of them is vacuous. `needs` lists
    capabilities and functions, separated by spaces. A claim that only one `device` can show runs on
    that device alone, and is `not-run` where there is none. A claim `over` operations speaks of
    each in its turn, needs it, and draws `calls` of it. `edition` is the one in which it entered or
    last changed. One that asks for many digits says `widest`: it is judged in the last of a
    backend's dtypes alone. One that speaks of no operation, and hands functions over to the mode of
    its subject, says `modes`. One that puts what is no number beside entries that are to have no
    part of it says `apart`, one that makes tensors of thousands of entries itself says `many`, and
    one that is judged in the dtypes of 16 bits also where no dtype is named says `small`.
    Raises ValueError for an unknown id or word.
    """

    def decorate(test: Test) -> Callable[..., None]:
        path = Path(inspect.getfile(test))
        law = inspect.cleandoc(test.__doc__ or "")
        if not law:
            raise ValueError(f"{test.__name__} has no docstring to be its law")
        operations = tuple(over)
        if not (about.split() or operations):
            raise ValueError(f"{test.__name__} is about nothing: name an operation or a method")
        for word in about.split():
            if word not in OPERATIONS and not callable(getattr(Backend, word, None)):
                raise ValueError(
                    f"{test.__name__} is about {word!r}: neither operation nor method of Backend"
                )
        for word in needs.split():
            if word not in WORDS:
                raise ValueError(
                    f"{test.__name__} needs {word!r}: neither capability nor operation"
                )
        if device not in (None, *DEVICES):
            raise ValueError(f"{test.__name__} is for {device!r}: name one of {', '.join(DEVICES)}")
        made = Claim(
            id=rows[0],
            law=" ".join(law.split()),
            chapter=path.stem.removeprefix("test_"),
            level=Level(level),
            about=tuple(about.split()),
            needs=tuple(needs.split()),
            device=device,
            sources=tuple(source_of(row, path.with_name(SOURCES)) for row in rows),
            test=test,
            over=operations,
            state=State(state),
            edition=edition,
            widest=widest,
            modes=modes,
            apart=apart,
            many=many,
            small=small,
        )

        @wraps(test)
        def stand_in(be: object, operation: object = None) -> None:  # noqa: ARG001
            raise AssertionError(f"{made.id} on {be} is run by the gradspec plugin, not called")

        # What pytest collects takes a subject and an operation; the rest is drawn while it runs.
        signature = ONE_OPERATION if made.over else ONE_SUBJECT
        stand_in.__dict__.update(claim=made, __signature__=signature)
        return stand_in

    return decorate


def claim_of(item: object) -> Claim | None:
    """Return the claim that a collected test runs, if it is one."""
    found = getattr(getattr(item, "function", None), "claim", None)
    return found if isinstance(found, Claim) else None


def given(**strategies: SearchStrategy[Any] | PerOperation) -> Callable[[T], T]:
    """Note what is drawn for each argument of a claim."""

    def decorate(test: T) -> T:
        test.__dict__["drawn"] = strategies
        return test

    return decorate


def example(**values: Any) -> Callable[[T], T]:
    """Note a worked example: values for all arguments of a claim."""

    def decorate(test: T) -> T:
        test.__dict__["worked"] = (values, *getattr(test, "worked", ()))
        return test

    return decorate


def every(**values: Iterable[Any]) -> Callable[[T], T]:
    """Note all values of one argument of a claim: each of them is checked in every run.

    A value may be a strategy. What else is drawn is drawn for each of them, unless examples are
    dear, as where they are compiled: then the argument is drawn as well.
    Raises ValueError for several arguments, and for no values, of which nothing would be checked;
    TypeError for a strategy alone, which has no end.
    """
    for name, several in values.items():
        if isinstance(several, SearchStrategy):
            raise TypeError(f"every: {name} takes the values one by one, not a strategy: {several}")
    turns = {
        name: tuple(each if isinstance(each, SearchStrategy) else just(each) for each in several)
        for name, several in values.items()
    }
    if len(turns) != 1 or () in turns.values():
        raise ValueError(f"every: it takes the values of one argument, not {values}")

    def decorate(test: T) -> T:
        test.__dict__["turns"] = turns
        return test

    return decorate


def source_of(row: str, path: Path) -> Source:
    """Look up one row of a `sources.toml`; raises ValueError if it is not there."""
    try:
        return Source(row, **read_sources(path)[row])
    except KeyError:
        raise ValueError(f"{path.name} has no row {row!r}") from None


@cache
def read_sources(path: Path) -> dict[str, dict[str, str]]:
    """Read a `sources.toml`: a table for each row, or its notes alone if what they say holds."""
    rows = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        row: {"notes": told, "verdict": "holds"} if isinstance(told, str) else told
        for row, told in rows.items()
    }
