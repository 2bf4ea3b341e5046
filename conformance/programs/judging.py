"""Two runs of one program side by side: what differs, and whether that is judged.

Values are compared as bytes first. Where they are not the same, -0 is 0 and nan is nan; beyond that
an entry may differ by what rounding explains, see `perturbing`. What nobody promises is not judged:
`choices.toml` lists it, with reasons.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .instructions import Value
from .language import Program, Statement
from .machine import GRADIENTS, MIDWAY, PASSES, Machine, Seen, is_midway

Array = np.ndarray[Any, Any]

LARGEST = {"float64": 2.0**50, "float32": 2.0**22, "float16": 2.0**9}
"""From here on, sums of integers are no longer exact in a dtype."""


SHORT = {"float64": (2.0**30, 2.0**20), "float32": (2.0**14, 2.0**8), "float16": (2.0**6, 2.0**4)}
"""Below the first, and a multiple of one over the second: a short fraction, computed exactly."""

HALF = 2.0**-18
"""So far apart are what one dtype and the next one with half its digits make of small numbers."""

ULPS = 8
"""So many units in the last place are less than perturbing allows any entry that was rounded."""


class Difference(NamedTuple):
    """The first place where two runs differ: in what, and how.

    `at` is the number of a statement, or how many there are, of what is seen at the end. What was
    seen on one side alone is None on the other.
    """

    at: int
    what: str
    got: Any
    expected: Any


@dataclass(frozen=True)
class Choice:
    """What an implementation may choose: which of these refusals it names at these statements.

    Or whether it refuses so at all. It is about programs that have one of the statements `beside`
    and all `together`, each named by its kind, or by that and the first thing it is told. If it is
    of nodes `passed_over`, what the reference refuses has to be refused, and what it does not
    refuse, it has to in a pass that asks for everything.
    """

    statements: frozenset[str]
    refusals: frozenset[str]
    reason: str
    beside: frozenset[str]
    together: frozenset[str]
    passed_over: bool

    def speaks_of(self, kind: str) -> bool:
        """Whether it is about statements of this kind."""
        return kind in self.statements or "*" in self.statements

    def holds_in(self, program: Program) -> bool:
        """Whether it is about a program."""
        named = {name for s in program for name in (s.kind, f"{s.kind} {(*s.options, '')[0]}")}
        return self.together <= named and not (self.beside and self.beside.isdisjoint(named))


@cache
def choices(table: str) -> tuple[Choice, ...]:
    """Read a table of choices."""
    text = Path(__file__).with_name("choices.toml").read_text(encoding="utf-8")
    return tuple(
        Choice(
            frozenset(each.get("statements", ())),
            frozenset(each.get("refusals", ())),
            each["reason"],
            frozenset(each.get("beside", ())),
            frozenset(each.get("together", ())),
            each.get("passed_over", False),
        )
        for each in tomllib.loads(text)[table]
    )


def may_stand_for(got: str, expected: str, kind: str) -> bool:
    """Whether one refusal of a statement of this kind is as good as the other."""
    return any(
        each.speaks_of(kind) and got in each.refusals and expected in each.refusals
        for each in choices("refusals")
    )


def may_be_alone(refusal: str, at: int, program: Program) -> list[Choice]:
    """List what may let one side refuse a statement so, and the other not."""
    kind = program[at].kind if at < len(program) else "end"
    return [
        each
        for each in choices("alone")
        if each.speaks_of(kind) and refusal.startswith((*each.refusals,)) and each.holds_in(program)
    ]


def asking_for_all(program: Program, at: int, what: str) -> Program | None:
    """Return a program up to a pass to some tensors, which goes to all leaves there instead.

    The pass is the statement at that number, or one of those that end a program, named by `what`.
    """
    if at == len(program):
        if not what.startswith("gradients of v"):
            return None
        name, _, grad = what.removeprefix("gradients of v").partition(".")
        root = int(name)
        if grad:
            program = (*program, Statement("grad", (root,), (), 1))
            root = sum(each.results for each in program) - 1
        options: tuple[Any, ...] = (1, 0, (("retain_graph", True),))
        return (*program, Statement("backward", (root,), options))
    kind, operands, options, _ = program[at]
    count, seed, told = (GRADIENTS[kind], *options) if kind in GRADIENTS else options
    roots = operands[:count]
    told = tuple(each for each in told if each[0] not in {"allow_unused", "materialize_grads"})
    return (*program[:at], Statement("backward", roots, (len(roots), seed, told)))


@cache
def laws() -> Mapping[str, str]:
    """Read what differences go against, by words in their names."""
    text = Path(__file__).with_name("choices.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["laws"])


Allowed = Callable[[], list[Array] | None]
"""Finds out how far each value may be off, in the order they are seen; None if nobody can say."""

Again = Callable[[Program], Machine]
"""Runs another program on the reference."""


@dataclass
class Judgement:
    """What comes of two runs: the first difference, if any, and what was not judged."""

    difference: Difference | None = None
    unjudged: Counter[str] = field(default_factory=Counter)


def judge(
    got: Machine,
    expected: Machine,
    program: Program,
    allowed: Allowed | None = None,
    again: Again | None = None,
) -> Judgement:
    """Compare what was seen in two runs of a program."""
    if got.seen == expected.seen:
        return AGREED
    return _Comparison(got, expected, program, allowed, again).judgement


AGREED = Judgement()


class _Comparison:
    """The slow way, for two runs that are not the same bit by bit."""

    def __init__(
        self,
        got: Machine,
        expected: Machine,
        program: Program,
        allowed: Allowed | None,
        again: Again | None,
    ) -> None:
        self.program = program
        self.allowed = allowed
        self.again = again
        self.limits: list[Array] | None = None
        self.stopped = False
        self.count = 0  # values compared until now
        self.also = expected.also
        self.flags_are_open = any(each.holds_in(program) for each in choices("flags"))
        self.zeros_are_none = any(each.holds_in(program) for each in choices("zeros"))
        self.expected = expected.seen
        self.records = any(
            each.kind == "twice"
            or (each.kind in PASSES and ("create_graph", True) in each.options[-1])
            for each in program
        )
        self.has_empty = any(0 in each.shape for each in values_of(expected.seen))
        self.judgement = Judgement()
        self.judgement.difference = self.first(got.seen, expected.seen)

    def kind_at(self, at: int) -> str:
        """Return the kind of a statement."""
        return self.program[at].kind if at < len(self.program) else "end"

    def first(self, got: Sequence[Seen], expected: Sequence[Seen]) -> Difference | None:
        """Return the first difference that is judged."""
        for one, other in zip(got, expected, strict=False):
            if one[:2] != other[:2]:
                at = min(one[0], other[0])
                return self.unlike(at, *(each if each[0] == at else None for each in (one, other)))
            if (
                not self.alike(one[2], other[2])
                and not self.chosen(one, other)
                and not self.stopped
            ):
                if one[1] == "strides" and one[2][0] != other[2][0]:
                    self.stop("how results are laid out")
                    return None
                return Difference(*one, other[2])
            if self.stopped:
                return None
        shorter = min(len(got), len(expected))
        if len(got) > shorter:
            return self.unlike(got[shorter][0], got[shorter], None)
        if len(expected) > shorter:
            return self.unlike(expected[shorter][0], None, expected[shorter])
        return None

    def unlike(self, at: int, got: Seen | None, expected: Seen | None) -> Difference | None:
        """Return the difference of what was seen on one side alone, or as something else."""
        seen = [each for each in (got, expected) if each is not None]
        if any(
            type(each[2]) is str and self.alone(each[2], at, each[1], expected=each is expected)
            for each in seen
        ):
            return None
        if self.zeros_are_none and any(
            is_nothing(answer) and what.endswith("grad") for _, what, answer in seen
        ):
            self.stop("zeros or no gradient")
            return None
        # What was refused tells more than what was then not to be seen.
        what = min((each[1] for each in seen), key=_is_no_refusal)
        answers = [
            each[2] if each is not None and each[1] == what else None for each in (got, expected)
        ]
        return Difference(at, what, *answers)

    def alone(self, refusal: str, at: int, what: str, *, expected: bool = False) -> bool:
        """Whether one side alone may refuse so; then nothing is judged from here on."""
        if not (refusal in {"dtype", "grad_assignment"} and self.promotes()) and not any(
            not each.passed_over or (not expected and self.is_passed_over(at, what))
            for each in may_be_alone(refusal, at, self.program)
        ):
            return False
        self.stop(f"one side alone refuses: {first_words(refusal)}")
        return True

    def is_passed_over(self, at: int, what: str) -> bool:
        """Whether the reference gives up as well where a pass asks for everything."""
        program = asking_for_all(self.program, at, what)
        if program is None or self.again is None:
            return program is not None
        return any(
            where == len(program) - 1 and answer in MIDWAY
            for where, _, answer in self.again(program).seen
            if isinstance(answer, str)
        )

    def chosen(self, got: Seen, expected: Seen) -> bool:
        """Whether two refusals may stand for each other."""
        at, what, one = got
        other = expected[2]
        if type(one) is not str or type(other) is not str:
            refusal = one if type(one) is str else other
            return type(refusal) is str and self.alone(refusal, at, what, expected=refusal is other)
        if one in self.also.get(at, ()) or may_stand_for(one, other, self.kind_at(at)):
            self.judgement.unjudged["which refusal is named"] += 1
            if is_midway(self.kind_at(at), one) != is_midway(self.kind_at(at), other):
                self.stop("one side alone gives up in the middle")
            return True
        return False

    def alike(self, x: Any, y: Any) -> bool:
        """Whether two answers are the same, as far as they are judged."""
        if self.zeros_are_none and is_nothing(x) and is_nothing(y):
            self.count += len(values_of(y))
            return True
        if type(y) is Value:
            self.count += 1
            if type(x) is Value and x.shape == y.shape and x.dtype != y.dtype and self.promotes():
                return self.stop("which dtype scalars and arrays have together")
            return type(x) is Value and x[:2] == y[:2] and self.near(x, y)
        if type(y) is bool and type(x) is bool and x != y and self.flags_are_open:
            return self.stop("whether a gradient leads anywhere")
        if type(x) is type(y) is tuple and self.is_gradient_of_nothing(y):
            # What leads somewhere on one side alone is differentiated there alone.
            return self.alike([x[0], *x[3:]], [y[0], *y[3:]]) and (
                x[1:3] == y[1:3] or self.stop("whether a gradient of no entries leads anywhere")
            )
        if type(y) is tuple or type(y) is list:
            return type(x) is type(y) and len(x) == len(y) and all(map(self.alike, x, y))
        return bool(x == y)

    def near(self, x: Value, y: Value) -> bool:
        """Whether two values of one dtype and shape are the same, but for rounding."""
        if x.entries == y.entries:
            return True
        got, expected = x.array(), y.array()
        if np.array_equal(got, expected, equal_nan=True):
            return True
        if self.too_large():
            return self.stop("large or not finite")
        if not (np.abs(got - expected) > rounded(expected)).any():
            return True
        if self.limits is None:
            found = self.allowed() if self.allowed else []
            if found is None:
                return self.stop("rounding decides")
            self.limits = found
        limit = self.limits[self.count - 1] if self.limits else 0.0
        off = np.abs(got - expected)
        if (off <= np.maximum(limit, self.least(expected.dtype))).all():
            return True
        if self.mixes() and (off <= HALF * (1 + np.abs(expected))).all():
            return self.stop("in which of two dtypes it is computed")
        hidden = next((each for each in choices("values") if each.holds_in(self.program)), None)
        return self.stop(hidden.reason) if hidden else False

    def is_gradient_of_nothing(self, answer: tuple[Any, ...]) -> bool:
        """Whether flags are those of a gradient of no entries: whether it leads anywhere is open.

        So it is of what a recorded pass has added up, if a tensor without entries may be among it.
        At the end of a program a gradient is a tensor like any other, so all of them count.
        """
        if not answer or type(answer[0]) is not Value:
            return False
        if 0 not in answer[0].shape and not (self.records and self.has_empty):
            return False
        return len(answer) == 2 or any(each.kind in {*GRADIENTS, "grad"} for each in self.program)

    def least(self, dtype: np.dtype[Any]) -> float:
        """How far any sum may be off, once a number was rounded: its parts may have cancelled.

        They are no larger than what was seen, and another formula rounds each of them otherwise.
        Beyond what a short fraction may be this would hide what is wrong, and allows no more.
        """
        seen = [each for each in values_of(self.expected) if each.dtype == dtype and each.size]
        # What was rounded on the way shows in the limits, where all that is seen is short.
        marks = [*map(rounded, seen), *(self.limits or [])]
        if dtype.name not in SHORT or not any(each.any() for each in marks):
            return 0.0
        largest = max(float(np.abs(each).max()) for each in seen)
        return ULPS * float(np.finfo(dtype).eps) * max(1.0, min(largest, SHORT[dtype.name][0]))

    def mixes(self) -> bool:
        """Whether the program asks for two dtypes."""
        return any(
            each.kind == "cast" or (each.kind in {"leaf", "constant"} and each.options[-1] is True)
            for each in self.program
        )

    def promotes(self) -> bool:
        """Whether two dtypes meet: which one they have together is in the claims of the table.

        Or whether there are scalars of one dtype, and arrays of another, without a word of it in
        the program.
        """
        values = values_of(self.expected)
        scalars = {each.dtype for each in values if not each.ndim}
        return self.mixes() or any(each.ndim and scalars - {each.dtype} for each in values)

    def stop(self, reason: str) -> bool:
        """Judge nothing from here on."""
        self.judgement.unjudged[reason] += 1
        self.stopped = True
        return False

    def too_large(self) -> bool:
        """Whether a value was seen that is not finite, or too large to be computed with exactly."""
        return any(
            not (np.abs(array) < LARGEST.get(array.dtype.name, np.inf)).all()
            for array in values_of(self.expected)
        )


def is_nothing(answer: Any) -> bool:
    """Whether an answer is no gradient, or one of zeros."""
    if type(answer) is tuple and len(answer) == 2 and type(answer[0]) is Value:
        answer = answer[0]
    return answer is None or (type(answer) is Value and not answer.array().any())


def first_words(text: str) -> str:
    """Return the beginning of a text."""
    return " ".join(text.split()[:8])


def rounded(array: Array) -> Array:
    """Return how far entries may be off that have been rounded: some units in the last place.

    What is a short binary fraction was computed exactly, as far as this can tell.
    """
    if array.dtype.name not in SHORT:
        return np.zeros(array.shape)
    largest, parts = SHORT[array.dtype.name]
    with np.errstate(all="ignore"):
        short = (np.abs(array) < largest) & (np.floor(array * parts) == array * parts)
        return np.where(short, 0, np.abs(array) * (ULPS * np.finfo(array.dtype).eps))


def values_of(seen: Any) -> list[Array]:
    """List all values in what was seen, in order."""
    if type(seen) is Value:
        return [seen.array()]
    if isinstance(seen, tuple | list):
        return [array for each in seen for array in values_of(each)]
    return []


def _is_no_refusal(what: str) -> bool:
    return "refused" not in what and what != "last"
